// When a worker goes on with weights to which not all others have contributed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trireme::plan {

struct Mode {
  enum class Kind : std::uint8_t {
    kSync,    ///< after all workers
    kAsync,   ///< after its own update
    kSsp,     ///< when it is at most `number` updates ahead of the slowest
    kBackup,  ///< after all but `number` workers; the gradients of these are dropped in the round
  };

  Kind kind = Kind::kSync;
  std::int32_t number = 0;  ///< at least 1 with ssp and backup: with 0 both are sync

  friend bool operator==(const Mode&, const Mode&) = default;
};

/// What a user can write.
inline constexpr std::string_view kModesInWords = "sync, async, ssp:3 (updates ahead) or backup:1 (workers)";

/// "sync", "async", "ssp:3", "backup:1"
[[nodiscard]] std::string to_string(const Mode& mode);

/// The mode that a user has written; ssp:0 and backup:0 are sync. Throws `Error` (bad input) that begins with
/// `subject`, such as "--mode".
[[nodiscard]] Mode parse_mode(std::string_view text, std::string_view subject);

}  // namespace trireme::plan
