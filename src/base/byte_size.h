// Amounts of memory as people write them.
#pragma once

#include <cstdint>
#include <string_view>

namespace trireme {

/// "65536", "64 KiB", "4kB", "1.5 MB" → bytes; a number without a unit is one of bytes, as `parse_integer`
/// reads it. Throws `Error` that names the flag and says what is right.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text, std::string_view flag, std::int64_t min,
                                       std::int64_t max);

}  // namespace trireme
