// A deadline for the start of MPI, which has none and does not report for whom it waits.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "base/types.h"

namespace trireme::wire::mpi {

/// A process of this job on this host.
struct MpiProcess {
  Rank rank = 0;
  pid_t process = 0;
  bool stopped = false;
  bool has_come = false;  ///< reached the start of MPI: it has an `MpiStartWatch` now
};

/// The processes that the launcher of this process has started on this host, one for each rank, in ascending
/// order. They are found in /proc by the variables that every launcher with PMIx sets (Open MPI's mpirun,
/// srun --mpi=pmix). Empty if these are not set.
[[nodiscard]] std::vector<MpiProcess> processes_of_mpi_job();

/// Names the processes that are stopped; empty if none is.
[[nodiscard]] std::optional<Failure> name_stopped(std::span<const MpiProcess> processes);

/// Why MPI does not start, as far as known: who is stopped, who has not arrived, or who is not on this host.
/// `size` is the size of the job, 0 if unknown.
[[nodiscard]] Failure name_late(std::span<const MpiProcess> processes, Rank size);

/// Lives while MPI starts. At the deadline a thread reports on standard error who is late and ends this
/// process with status 1, and then the launcher ends all others. Ending the process is necessary because the
/// thread that waits inside MPI cannot be interrupted.
class MpiStartWatch {
 public:
  explicit MpiStartWatch(const Deadline& deadline);

 private:
  std::jthread thread_;
};

}  // namespace trireme::wire::mpi
