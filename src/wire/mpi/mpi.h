// MPI as the engine for many hosts: whatever network it drives, it moves our messages. Where it cannot be
// loaded, everything here says so.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/types.h"
#include "wire/wire.h"

namespace trireme::wire::mpi {

/// "Open MPI v4.1.4"; nothing where it cannot be loaded. Does not start MPI.
[[nodiscard]] std::optional<std::string> mpi_version();

/// This process as one of those that an MPI launcher has started. One at a time in a process, from one
/// thread.
class MpiSession {
 public:
  /// Starts MPI. When it has not started by the deadline this process says who is late and ends with status
  /// 1, and the launcher ends the others (see `wire/mpi/mpi_start.h`). Throws `Error` (bad input) where the
  /// build has no MPI, or when MPI sees one process alone while the environment says that there are several:
  /// a binary started by another MPI's launcher.
  [[nodiscard]] static std::unique_ptr<MpiSession> begin(const Deadline& deadline);
  /// Ends MPI when all others do. After a failure of the wire, or one elsewhere, or while an exception passes
  /// through, it returns at once, and the whole job ends by MPI_Abort with status 1 when this process exits.
  virtual ~MpiSession() = default;

  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual Rank size() const = 0;
  /// Whether all processes share this host's memory, as MPI sees it.
  [[nodiscard]] virtual bool on_one_host() const = 0;
  /// Every process's bytes, by rank; all call it together with the same length.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes,
                                                                   const Deadline& deadline) = 0;
  /// The wire `mpi` among all of them. Lives as long as the session.
  [[nodiscard]] virtual Wire& wire() = 0;
  /// The job has failed elsewhere: nobody is waited for at the end.
  virtual void give_up() = 0;
};

}  // namespace trireme::wire::mpi
