// Whether other processes want the core on which a node waits. There, a node that keeps looking or yields
// uses up CPU time that it lacks when its data arrives; a node that sleeps is scheduled soon after it is
// woken.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/deadline.h"

namespace trireme::wire {

/// Learned from a thread's own waits: its core was taken away, or did not come back, while it only looked and
/// yielded. This is remembered for half a second; then the thread tries again the way that is best on a quiet
/// machine. From the first time on the thread uses short turns, so that it is scheduled soon after it is
/// woken. Not thread-safe.
class Contention {
 public:
  using Clock = Deadline::Clock;
  /// How often the calling thread has lost its core without sleeping.
  using Switches = std::int64_t (*)();

  /// `crowded`: there are more nodes than cores on this host. There, a node yields its core to other nodes
  /// all the time; only if it gets the core back much later has another process used it.
  explicit Contention(bool crowded, Switches switches = involuntary_switches);

  /// A wait begins: the time before it was work.
  void begin(Clock::time_point now) { last_ = now; }
  /// The wait goes on. Call it every few microseconds, and after each yield.
  void look(Clock::time_point now) {
    if (now - last_ >= taken_away_) learn(now);
    last_ = now;
  }
  /// As of the last `begin` or `look`: whether to sleep rather than spin.
  [[nodiscard]] bool is_seen() const { return last_ < until_; }

  static std::int64_t involuntary_switches();

  /// A busy process keeps a core for a slice of 1 ms or more; interrupts of most devices take much less.
  static constexpr Clock::duration kTakenAway = std::chrono::microseconds(500);
  /// Other nodes run an exchange too and yield soon, unless they add up large buffers.
  static constexpr Clock::duration kTakenAwayWhenCrowded = std::chrono::milliseconds(2);
  static constexpr Clock::duration kRemembered = std::chrono::milliseconds(500);

 private:
  void learn(Clock::time_point now);

  Clock::duration taken_away_;
  Switches switches_;
  std::int64_t known_switches_;  // when a look last took long
  Clock::time_point last_{};
  Clock::time_point until_{};
};

}  // namespace trireme::wire
