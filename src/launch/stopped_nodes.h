// Nodes that are stopped, by SIGSTOP or a debugger. Nodes that wait for each other notice who is stopped;
// when all are, nobody is left to notice but the launcher.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "base/error.h"
#include "launch/node_process.h"

namespace trireme::launch {

/// Marks the nodes that are stopped: they take no part in an end that gives them time to leave. Returns
/// whether nodes are left, and all of them are stopped.
[[nodiscard]] bool mark_stopped(std::span<NodeProcess> nodes);

/// Notices nodes that have all been stopped for longer than their timeout. Times are given, not asked for.
class LongStop {
 public:
  using Clock = std::chrono::steady_clock;

  /// The launcher is more patient by this than a node that waits for others: it knows more about them.
  static constexpr Clock::duration kMorePatience = std::chrono::seconds(1);
  /// A time in which nobody looked is not counted when it is longer than this: then the launcher was stopped,
  /// too, and whoever lets all of them go on may begin with the launcher.
  static constexpr Clock::duration kNobodyLooked = std::chrono::seconds(5);

  explicit LongStop(std::chrono::nanoseconds timeout);

  /// Looks at the nodes about twice a second. Returns the failure when all that have not ended are stopped
  /// and have been so for too long.
  [[nodiscard]] std::optional<Failure> look(std::span<const NodeProcess> nodes, Clock::time_point now);

  /// Returns whether all are stopped now and have been so for too long.
  [[nodiscard]] bool see(bool all_are_stopped, Clock::time_point now);

 private:
  std::chrono::nanoseconds timeout_;
  Clock::time_point next_look_{};
  Clock::time_point last_{};
  Clock::duration stopped_{};
  bool were_stopped_ = false;
};

}  // namespace trireme::launch
