// Nodes that wait for each other notice who is stopped. When all are stopped, nobody is left to notice but
// the launcher.
#pragma once

#include <chrono>

namespace trireme::launch {

/// For how long all nodes have been stopped. Times are given, not asked for.
class LongStop {
 public:
  using Clock = std::chrono::steady_clock;

  /// A time in which nobody looked is not counted when it is longer than this: then the launcher was stopped,
  /// too, and whoever lets all of them go on may begin with the launcher.
  static constexpr Clock::duration kNobodyLooked = std::chrono::seconds(5);

  explicit LongStop(Clock::duration longest) : longest_(longest) {}

  /// Whether they are all stopped now and have been for longer than that.
  bool see(bool all_are_stopped, Clock::time_point now) {
    const Clock::duration since = now - last_;
    last_ = now;
    const bool counts = were_stopped_ && all_are_stopped && since <= kNobodyLooked;
    stopped_ = counts ? stopped_ + since : all_are_stopped ? stopped_ : Clock::duration{};
    were_stopped_ = all_are_stopped;
    return stopped_ > longest_;
  }

 private:
  Clock::duration longest_;
  Clock::time_point last_{};
  Clock::duration stopped_{};
  bool were_stopped_ = false;
};

}  // namespace trireme::launch
