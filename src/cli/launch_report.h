// What `trireme launch` says of a job that has ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/ssh/host_list.h"
#include "launch/ssh/hosts_job.h"

namespace trireme::cli {

/// A job on this host as one of several hosts is told of.
[[nodiscard]] launch::ssh::HostsJobEnd as_hosts_job_end(const launch::JobEnd& end);

/// The JSON document; `hosts` is empty for a job on this host.
[[nodiscard]] std::string launch_document(const launch::ssh::HostsJobEnd& end,
                                          const std::vector<launch::ssh::HostPart>& hosts,
                                          const std::optional<std::filesystem::path>& logs);

/// Says on standard error what went wrong, the first failure last. Returns the exit status: 2 where the first
/// failure is a node that ended with 2, as its input was wrong.
[[nodiscard]] int tell_end(const launch::ssh::HostsJobEnd& end);

/// "trireme launch: SENTENCE" on standard error.
void say_of_launch(const std::string& sentence);

}  // namespace trireme::cli
