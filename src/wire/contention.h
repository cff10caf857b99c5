// Whether other processes want the core that a node waits on. Who keeps looking there, or gives way, only
// spends the time that it lacks when what it waits for has come; who sleeps is let in soon when it is woken.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/deadline.h"

namespace trireme::wire {

/// Learned from a thread's own waits: its core was taken away, or did not come back, while it did nothing but
/// look and give way. That is remembered for half a second; then the thread tries again what is best on a
/// quiet machine. From the first time on the thread has short turns, so that it is let in soon when it is
/// woken. Not thread-safe.
class Contention {
 public:
  using Clock = Deadline::Clock;
  /// How often the calling thread has lost its core without sleeping.
  using Switches = std::int64_t (*)();

  /// `crowded`: more nodes than cores on this host. There a node gives its core to the others all the time;
  /// only who gets it back much later has given it to somebody else.
  explicit Contention(bool crowded, Switches switches = involuntary_switches);

  /// A wait begins: what came before was work.
  void begin(Clock::time_point now) { last_ = now; }
  /// The wait goes on. To be called every few microseconds, and after each giving way.
  void look(Clock::time_point now) {
    if (now - last_ >= taken_away_) learn(now);
    last_ = now;
  }
  /// As of the last `begin` or `look`: sleep rather than spin.
  [[nodiscard]] bool is_seen() const { return last_ < until_; }

  static std::int64_t involuntary_switches();

  /// A process that is busy keeps a core for a slice of 1 ms and more, most devices' interrupts much less.
  static constexpr Clock::duration kTakenAway = std::chrono::microseconds(500);
  /// Other nodes are at an exchange as well and give way soon, unless they add up large buffers.
  static constexpr Clock::duration kTakenAwayWhenCrowded = std::chrono::milliseconds(2);
  static constexpr Clock::duration kRemembered = std::chrono::milliseconds(500);

 private:
  void learn(Clock::time_point now);

  Clock::duration taken_away_;
  Switches switches_;
  std::int64_t known_switches_;  // the last time that a look took long
  Clock::time_point last_{};
  Clock::time_point until_{};
};

}  // namespace trireme::wire
