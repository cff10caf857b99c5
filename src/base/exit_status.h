// The exit statuses of Trireme's programs.
#pragma once

namespace trireme {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;    ///< something went wrong while it ran
inline constexpr int kExitBadInput = 2;  ///< the command line, a file or an environment variable is wrong
inline constexpr int kExitInterrupted = 130;  ///< by SIGINT or SIGTERM

}  // namespace trireme
