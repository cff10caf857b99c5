// What this host has, as far as a job cares.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/doctor/doctor.h"

namespace trireme::cli {

/// All of a file, or nothing where it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

/// How many cores' worth of time the control groups of this process allow; nothing where they set no limit.
[[nodiscard]] std::optional<double> find_quota(const ReadFile& read);

/// The choice in a file of the kernel: "always [madvise] never" → "madvise"; empty where there is none.
[[nodiscard]] std::string chosen_setting(std::string_view text);

[[nodiscard]] HostFacts examine_host();

}  // namespace trireme::cli
