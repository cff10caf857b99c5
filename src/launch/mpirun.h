// Processes under Open MPI's launcher, started from here.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"

namespace trireme::launch {

/// The path of this program.
[[nodiscard]] std::string own_program();

/// The words that start `command` as that many processes on this host, more than there are cores if need be,
/// with TRIREME_TIMEOUT as whoever starts mpirun has it.
/// Throws `Error` (bad input) where there is no MPI in this build, or no mpirun.
[[nodiscard]] std::vector<std::string> mpirun_words(Rank processes, const std::vector<std::string>& command);

/// This very command again, as that many processes, to its end; says so, and says why it failed where they
/// could not. Returns the exit status: that of the node that failed first, if it is 1 or 2; 1 if it was
/// killed; 130 where a signal interrupted it. Throws as `mpirun_words`.
[[nodiscard]] int run_again_under_mpirun(Rank processes);

}  // namespace trireme::launch
