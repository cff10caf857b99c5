// Who has started this process, as far as the environment tells: launchers of MPI leave their marks there.
#pragma once

#include <optional>
#include <string>

namespace trireme::wire::mpi {

struct LaunchedAs {
  int processes = 1;  ///< of the job, as the launcher says
  std::string launcher;
};

/// Nothing where no launcher has left a mark.
[[nodiscard]] std::optional<LaunchedAs> mpi_launcher();

}  // namespace trireme::wire::mpi
