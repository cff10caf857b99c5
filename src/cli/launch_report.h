// What `trireme launch` says of a job that has ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/host_list.h"
#include "launch/hosts_job.h"

namespace trireme {

/// A job on this host as one of several hosts is told of.
[[nodiscard]] HostsJobEnd as_hosts_job_end(const JobEnd& end);

/// The JSON document; `hosts` is empty for a job on this host.
[[nodiscard]] std::string launch_document(const HostsJobEnd& end, const std::vector<HostPart>& hosts,
                                          const std::optional<std::filesystem::path>& logs);

/// Says on standard error what went wrong, the first failure last. Returns the exit status: 2 where the first
/// failure is a node that ended with 2, as its input was wrong.
[[nodiscard]] int tell_end(const HostsJobEnd& end);

/// "trireme launch: SENTENCE" on standard error.
void say_of_launch(const std::string& sentence);

}  // namespace trireme
