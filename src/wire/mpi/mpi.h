// MPI as transport between many hosts: it moves our messages over any network that it supports. If MPI cannot
// be loaded, every function here reports that.
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

/// "Open MPI v4.1.4"; empty if MPI cannot be loaded. Does not start MPI.
[[nodiscard]] std::optional<std::string> mpi_version();

/// This process as one of those that an MPI launcher has started. A process has one session at a time, used
/// by one thread.
class MpiSession {
 public:
  /// Starts MPI. If it has not started by the deadline, this process reports who is late and ends with status
  /// 1, and the launcher ends the others (see `wire/mpi/mpi_start.h`). Throws `Error` (bad input) if the
  /// build has no MPI, or if MPI sees a single process while the environment names several: a binary started
  /// by another MPI's launcher.
  [[nodiscard]] static std::unique_ptr<MpiSession> begin(const Deadline& deadline);
  /// Ends MPI together with all others. After a failure of the wire or elsewhere, or while an exception
  /// propagates, it returns at once, and the whole job ends by MPI_Abort with status 1 when this process
  /// exits.
  virtual ~MpiSession() = default;

  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual Rank size() const = 0;
  /// Whether all processes share this host's memory, as MPI sees it.
  [[nodiscard]] virtual bool on_one_host() const = 0;
  /// The bytes of every process, by rank; all processes call it together with the same length.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes,
                                                                   const Deadline& deadline) = 0;
  /// The wire `mpi` between all processes. Lives as long as the session.
  [[nodiscard]] virtual Wire& wire() = 0;
  /// The job has failed elsewhere: the end waits for nobody.
  virtual void give_up() = 0;
};

}  // namespace trireme::wire::mpi
