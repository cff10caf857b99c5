// How a job is brought to its end: patience first, then SIGTERM, then SIGKILL.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace trireme::launch {

/// Begun once; then one grace later SIGTERM is due, and one more later SIGKILL. It reads no clock:
/// callers pass the current time.
class Ladder {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Ladder(Clock::duration grace) : grace_(grace) {}

  [[nodiscard]] bool begun() const { return begin_.has_value(); }
  /// A second call changes nothing: whoever began it has set the times.
  void begin(Clock::time_point now) { begin(now, grace_); }
  void begin(Clock::time_point now, Clock::duration grace) {
    if (begun()) return;
    begin_ = now;
    grace_ = grace;
  }
  /// SIGKILL is due at once.
  void hurry(Clock::time_point now) {
    begin(now);
    hurried_ = true;
  }

  /// The signal to be sent now, each once; 0: none.
  int due(Clock::time_point now) {
    if (!begin_ || sent_ == SIGKILL) return 0;
    if (hurried_ || now >= *begin_ + 2 * grace_) return sent_ = SIGKILL;
    if (sent_ == 0 && now >= *begin_ + grace_) return sent_ = SIGTERM;
    return 0;
  }

 private:
  Clock::duration grace_;
  std::optional<Clock::time_point> begin_;
  bool hurried_ = false;
  int sent_ = 0;
};

}  // namespace trireme::launch
