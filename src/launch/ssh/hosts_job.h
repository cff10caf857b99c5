// A job on several hosts: an agent on each, started over ssh, from the start of the first to the end of the
// last one.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/job.h"
#include "launch/ssh/host_list.h"
#include "launch/ssh/host_task.h"

namespace trireme::launch::ssh {

struct HostsJobOptions {
  std::vector<HostPart> hosts;
  /// "ssh" and flags of it; called with the name of a host and a command line.
  std::vector<std::string> ssh;
  /// The command line that starts an agent there.
  std::string agent;
  /// The task of all hosts. The job fills in the parts that differ between them.
  HostTask task;
  /// As in `JobOptions`. Everything is written on this host, from the lines that arrive here.
  std::optional<std::filesystem::path> logs{};
  int out = STDOUT_FILENO;
  int err = STDERR_FILENO;
  std::chrono::nanoseconds grace = JobOptions{}.grace;
  CaughtSignals* signals = nullptr;
};

struct HostsJobEnd {
  std::vector<std::optional<RankEnd>> ranks;  ///< of all hosts; nothing: not known
  std::chrono::nanoseconds elapsed{};
  std::optional<int> interrupted;
  std::optional<FirstFailure> first_failure;  ///< names the host
};

/// Does over hosts what `run_job` does on one. No node starts before all agents have answered, by the job's
/// timeout. Signals reach the nodes through their agents; when this process is killed, they see their input
/// end.
///
/// A failure of one node ends all: the others have the grace, then SIGTERM, then their ssh is killed,
/// whereupon their agents kill what is left there. Lines that ssh itself prints come out with the host's name
/// before them.
///
/// Throws `Error` (bad input) as `run_job` does, and when an agent refuses: there is no such program there.
[[nodiscard]] HostsJobEnd run_hosts_job(const HostsJobOptions& options);

}  // namespace trireme::launch::ssh
