// A node's process, from the fork to its body.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <optional>
#include <vector>

#include "base/system/fd.h"
#include "launch/program.h"

namespace trireme::launch {

/// All that the process needs, made before the fork: the launcher may have threads, and after a fork a thread
/// that was interrupted in the middle of something never goes on.
struct ChildSetup {
  Rank rank = 0;
  pid_t launcher = 0;
  int in = -1;  ///< −1: /dev/null
  int out = -1;
  int err = -1;
  int gate = -1;               ///< a byte for each process lets it go on; the end of the file tells it to end
  int report = -1;             ///< for `send_exec_error`; does not survive an exec
  std::vector<int> keep;       ///< what stays open, the gate and the report among it; in ascending order
  std::vector<int> inherited;  ///< of these, what survives an exec
  char** environment = nullptr;
  sigset_t mask{};  ///< of signals, for the body
  rlimit files{};
  const NodeBody* body = nullptr;
};

/// Called in the forked process, with all signals blocked.
[[noreturn]] void run_child(const ChildSetup& setup);

/// The first `ExecError` that a child has sent, of all that is in the pipe now. Closes it where none can
/// come.
[[nodiscard]] std::optional<Failure> receive_exec_error(Fd& report);

}  // namespace trireme::launch
