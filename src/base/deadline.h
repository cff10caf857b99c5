// One deadline for a whole operation, passed down to every wait inside it.
#pragma once

#include <time.h>

#include <chrono>

namespace trireme {

/// Starts when it is constructed, so `elapsed` is how long the operation has taken so far. One of a second or
/// more starts at the system's last tick, some milliseconds before: a small exchange has one, and reading the
/// clock more precisely would take a tenth of its time.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline after(Clock::duration limit) { return Deadline(limit); }

  [[nodiscard]] Clock::time_point start() const { return start_; }
  /// The last representable time point, if the limit lies beyond it.
  [[nodiscard]] Clock::time_point end() const {
    return limit_ > Clock::time_point::max() - start_ ? Clock::time_point::max() : start_ + limit_;
  }
  [[nodiscard]] Clock::duration elapsed() const { return Clock::now() - start_; }
  [[nodiscard]] Clock::duration limit() const { return limit_; }
  [[nodiscard]] bool expired() const { return elapsed() >= limit_; }

 private:
  explicit Deadline(Clock::duration limit)
      : start_(limit < std::chrono::seconds(1) ? Clock::now() : last_tick()), limit_(limit) {}

  // Of the clock that is behind `Clock`.
  static Clock::time_point last_tick() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return Clock::time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }

  Clock::time_point start_;
  Clock::duration limit_;
};

}  // namespace trireme
