// How failures with files of checkpoints are told.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace trireme::checkpoint {

/// "FILE: what is wrong" (bad input).
[[nodiscard]] Error refused(const std::filesystem::path& file, const std::string& what,
                            const std::string& hint);

/// Throws "cannot write FILE: the disk is full" or another reason, an `errno` value, as an `Error` (kFailed).
[[noreturn]] void fail_to_write(const std::filesystem::path& file, int reason);

/// Throws "cannot read FILE: reason" (bad input).
[[noreturn]] void fail_to_read(const std::filesystem::path& file, int reason);

}  // namespace trireme::checkpoint
