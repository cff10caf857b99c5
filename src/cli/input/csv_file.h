// CSV files that people write: their text, line by line.
#pragma once

#include <string>
#include <string_view>

namespace trireme::cli {

/// The whole file. Throws `Error` (bad input) with the flag that named it if it cannot be read, is a folder,
/// or has more bytes than `most`.
[[nodiscard]] std::string read_csv(const std::string& path, const char* flag, std::size_t most);

[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// Removes the first line and its end: LF, CR LF or CR.
[[nodiscard]] std::string_view take_line(std::string_view& text);

}  // namespace trireme::cli
