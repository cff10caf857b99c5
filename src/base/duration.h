// Durations as people write and read them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace trireme {

/// "60s", "60 s", "1.5 s", "500ms", "2 min", "1h" or "60" (seconds) → nanoseconds, always more than 0. Throws
/// `Error` that names the flag and says what is right.
[[nodiscard]] std::chrono::nanoseconds parse_duration(std::string_view text, std::string_view flag);

/// "60 s", "1.5 s", "500 ms", "20 µs": at most three digits after the point.
[[nodiscard]] std::string in_words(std::chrono::nanoseconds duration);

/// The exact number of seconds, as a program reads it back: "60", "1.5", "0.000000001".
[[nodiscard]] std::string in_seconds(std::chrono::nanoseconds duration);

}  // namespace trireme
