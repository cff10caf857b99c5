// One job at a time writes into a run's folder: a file in it is locked.
#pragma once

#include <filesystem>
#include <string>

#include "base/system/fd.h"

namespace trireme::train {

/// Takes the folder for this job. The lock belongs to what is open: it ends when this process and all that
/// have inherited the descriptor have ended, however they end, and nodes that outlive their launcher still
/// have it. Throws `Error` (bad input) with the process that has it already. Where files cannot be locked,
/// that is said.
[[nodiscard]] Fd lock_run_folder(const std::filesystem::path& folder);

/// Whether a job has ever taken this folder.
[[nodiscard]] bool was_locked(const std::filesystem::path& folder);

/// A hint: "take another folder, such as runs/a-2".
[[nodiscard]] std::string take_another_folder(const std::filesystem::path& folder);

}  // namespace trireme::train
