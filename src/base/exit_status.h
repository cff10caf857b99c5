// The exit statuses of Trireme's programs.
#pragma once

#include "base/error.h"

namespace trireme {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;    ///< something went wrong while it ran
inline constexpr int kExitBadInput = 2;  ///< the command line, a file or an environment variable is wrong
inline constexpr int kExitInterrupted = 130;  ///< by SIGINT or SIGTERM

/// The status of a program that ends with this failure.
[[nodiscard]] inline int exit_status_of(const Failure& failure) {
  return failure.cause == Failure::Cause::kBadInput ? kExitBadInput : kExitFailed;
}

}  // namespace trireme
