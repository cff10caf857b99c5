// The launcher of this process, as far as the environment tells: MPI launchers set their own variables.
#pragma once

#include <optional>
#include <string>

namespace trireme::wire::mpi {

struct LaunchedAs {
  int processes = 1;  ///< in the job, according to the launcher
  std::string launcher;
};

/// Empty if no launcher has set its variables.
[[nodiscard]] std::optional<LaunchedAs> mpi_launcher();

}  // namespace trireme::wire::mpi
