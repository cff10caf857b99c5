// The report of `trireme launch` on a job that has ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/ssh/host_list.h"
#include "launch/ssh/hosts_job.h"

namespace trireme::cli {

/// Converts the end of a job on this host to the form used for several hosts.
[[nodiscard]] launch::ssh::HostsJobEnd as_hosts_job_end(const launch::JobEnd& end);

/// The JSON document; `hosts` is empty for a job on this host.
[[nodiscard]] std::string launch_document(const launch::ssh::HostsJobEnd& end,
                                          const std::vector<launch::ssh::HostPart>& hosts,
                                          const std::optional<std::filesystem::path>& logs);

/// Reports on standard error what went wrong, with the first failure last. Returns the exit status: 2 if the
/// first failure is a node that ended with 2, because its input was wrong.
[[nodiscard]] int tell_end(const launch::ssh::HostsJobEnd& end);

/// Prints "trireme launch: SENTENCE" on standard error.
void say_of_launch(const std::string& sentence);

}  // namespace trireme::cli
