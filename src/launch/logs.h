// One log file for each rank: all that it printed, in order of arrival.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/system/fd.h"
#include "base/types.h"

namespace trireme::launch {

/// "trireme-logs/20260131-235959-4711": of this moment (UTC) and this process, below the current folder.
[[nodiscard]] std::filesystem::path default_log_folder(std::chrono::system_clock::time_point now,
                                                       pid_t process);

/// Makes the folder, and those above it, where it is not there. Throws `Error` (bad input) when it cannot be
/// made, or no file be made in it.
void make_log_folder(const std::filesystem::path& folder);

[[nodiscard]] std::filesystem::path log_file(const std::filesystem::path& folder, Rank rank);

/// What becomes of a log that is there already.
enum class OldLog { kEmptied, kContinued };

/// The log of a rank. Throws as `open_own_file` does: it follows no link to elsewhere.
[[nodiscard]] Fd open_log(const std::filesystem::path& folder, Rank rank, OldLog old = OldLog::kEmptied);

}  // namespace trireme::launch
