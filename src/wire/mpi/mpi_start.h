// The start of MPI has no deadline of its own, and does not say for whom it waits: here are both.
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
  bool has_come = false;  ///< to the start of MPI: it has an `MpiStartWatch` now
};

/// Those that the launcher of this process has started, one for each rank, in ascending order: found in /proc
/// by the variables that every launcher with PMIx sets (Open MPI's mpirun, srun --mpi=pmix). Empty where they
/// are not set.
[[nodiscard]] std::vector<MpiProcess> processes_of_mpi_job();

/// Names those that are stopped; nothing where none is.
[[nodiscard]] std::optional<Failure> name_stopped(std::span<const MpiProcess> processes);

/// Why MPI does not start, as far as can be known: who is stopped, who has not come, or who is not on this
/// host. `size`: of the job, 0 where it is not known.
[[nodiscard]] Failure name_late(std::span<const MpiProcess> processes, Rank size);

/// While this lives MPI starts. At the deadline a thread says on standard error who is late and ends this
/// process with status 1, at which the launcher ends all others: the thread that waits inside MPI cannot be
/// called back.
class MpiStartWatch {
 public:
  explicit MpiStartWatch(const Deadline& deadline);

 private:
  std::jthread thread_;
};

}  // namespace trireme::wire::mpi
