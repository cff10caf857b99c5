// One deadline for a whole operation, passed down to every wait inside it.
#pragma once

#include <chrono>

namespace trireme {

/// Starts when it is constructed, so `elapsed` is how long the operation has taken so far.
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
  explicit Deadline(Clock::duration limit) : start_(Clock::now()), limit_(limit) {}

  Clock::time_point start_;
  Clock::duration limit_;
};

}  // namespace trireme
