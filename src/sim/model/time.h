// Time in simulations: whole picoseconds, so that sums are exact. A message's time is rounded once, here, in
// the same way for the formulas and for the event loop.
#pragma once

#include <cstdint>

namespace trireme::sim {

/// A duration, or a time since the beginning. 2^63 of them are 106 days.
using Picoseconds = std::int64_t;

inline constexpr Picoseconds kPicosecond = 1;
inline constexpr Picoseconds kNanosecond = 1000;
inline constexpr Picoseconds kMicrosecond = 1000 * kNanosecond;
inline constexpr Picoseconds kMillisecond = 1000 * kMicrosecond;
inline constexpr Picoseconds kSecond = 1000 * kMillisecond;

// Sums of these stay below 2^63: a time in a simulation, a computation, and twice the time of a message.
inline constexpr Picoseconds kLatest = 6'000'000 * kSecond;
inline constexpr Picoseconds kLongestComputation = 2'000'000 * kSecond;
inline constexpr Picoseconds kLongestMessage = 400'000 * kSecond;

/// Throws `Error` (bad input); `what` is "an exchange", "a message", …
[[noreturn]] void refuse_as_too_long(const char* what, Picoseconds most);

[[nodiscard]] inline double in_seconds(Picoseconds time) { return static_cast<double>(time) / 1e12; }

}  // namespace trireme::sim
