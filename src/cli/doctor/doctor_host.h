// The properties of this host that matter for a job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/doctor/doctor.h"

namespace trireme::cli {

/// The content of a file, or nothing if it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

/// The CPU time, in cores, that the control groups of this process allow; empty if they set no limit.
[[nodiscard]] std::optional<double> find_quota(const ReadFile& read);

/// The selected value in a kernel file: "always [madvise] never" → "madvise"; empty if there is none.
[[nodiscard]] std::string chosen_setting(std::string_view text);

[[nodiscard]] HostFacts examine_host();

}  // namespace trireme::cli
