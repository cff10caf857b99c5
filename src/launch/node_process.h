// The processes of a job as the launcher sees them, and how they come to be.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "base/system/fd.h"
#include "launch/job.h"
#include "launch/lines.h"

namespace trireme::launch {

/// One of the two streams that a node prints to.
struct NodeStream {
  Fd pipe;  ///< none when it has ended
  LineCutter lines;
  NodeOutput which = NodeOutput::kOut;
  int to = -1;  ///< where its lines go; not owned
};

/// One node's process. It stays a zombie until `reap`, so that nobody else gets its number.
struct NodeProcess {
  Rank rank = 0;  ///< of the whole job
  pid_t process = 0;
  Fd pidfd{};
  /// One end of a pipe; the node and its children hold the other end open. When this end is closed, which the
  /// system does also when this process is killed, the system kills the node's group.
  Fd kill_on_close{};
  std::array<NodeStream, 2> streams;
  Fd log{};                 ///< none without logs
  bool signalled = false;   ///< has been told to leave
  bool stopped = false;     ///< was found so after a failure
  bool printed = false;     ///< anything at all
  std::string exception{};  ///< what it said, where one ends the program
  std::optional<RankEnd> end{};
  std::chrono::steady_clock::time_point ended{};
  bool gone = false;  ///< nothing is left of it
};

/// Signals all processes of the node's group.
void signal_group(const NodeProcess& node, int signal);

/// How the process ended, if it has.
[[nodiscard]] std::optional<RankEnd> look_for_end(const NodeProcess& node);

/// Kills what is left of the group of a process that has ended, and lets its number go.
void reap(NodeProcess& node);

struct NodeProcesses {
  std::vector<NodeProcess> nodes;
  Fd report;  ///< for `receive_exec_error`
};

/// Forks them all; when none can outlive this process any more, lets them run their body. When one cannot be
/// had, none runs.
[[nodiscard]] NodeProcesses start_processes(const JobOptions& options, const NodeBody& body);

}  // namespace trireme::launch
