// The part of MPI that the MPI wire needs, without MPI's own types. The module libtrireme_mpi.so implements
// it in the one file that includes mpi.h; it is loaded only when MPI is used, so that programs work without
// libmpi otherwise.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/types.h"

namespace trireme::wire::mpi {

/// Nonblocking calls among all processes, or those of a group. They throw `Error` with MPI's own message if
/// MPI fails.
class MpiCalls {
 public:
  using Request = std::size_t;
  static constexpr int kAnyTag = -1;

  /// A message that has arrived.
  struct Arrival {
    std::size_t bytes = 0;
    int tag = 0;
  };
  struct Remark {
    Rank from = 0;
    int tag = 0;
  };

  virtual ~MpiCalls() = default;

  /// Sends at most INT_MAX bytes. Messages arrive in the order in which they were sent.
  virtual Request send(std::span<const std::byte> from, Rank to, int tag) = 0;
  /// The next message from that rank with that tag, if it has arrived. It is examined before it is received,
  /// because MPI may write beyond the end of a buffer that is too small.
  virtual std::optional<Arrival> next_from(Rank from, int tag) = 0;
  /// Receives the whole message that `next_from` found last.
  virtual Request receive(std::span<std::byte> into) = 0;
  /// Returns true when the request has completed; the request is then invalid.
  virtual bool test(Request request) = 0;
  /// MPI no longer touches the request's memory, unless some call makes MPI progress.
  virtual void drop(Request request) noexcept = 0;

  /// Empty messages besides all others; their content is the tag. The sender does not wait for the receiver.
  virtual void remark(Rank to, int tag) = 0;
  virtual std::optional<Remark> next_remark() = 0;

  /// All processes call it together, with the same length: collects the bytes of every process, by rank.
  virtual Request gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
  /// The calls among some processes, given by their ranks here, which are 0, 1, … there; for messages alone.
  /// They call it together: it waits for all of them, without a deadline. `tag` tells groups apart that are
  /// made at the same time.
  [[nodiscard]] virtual std::unique_ptr<MpiCalls> among(std::span<const Rank> ranks, int tag) = 0;

  /// More calls among the same processes, whose messages never get mixed up with these. They call it
  /// together: it waits for all of them, without a deadline.
  [[nodiscard]] virtual std::unique_ptr<MpiCalls> twin() = 0;

  /// All processes call it together, when no request is left.
  virtual void free() = 0;
};

/// The position of this process among all.
struct MpiPlace {
  Rank rank = 0;
  Rank size = 1;
  bool crowded = false;     ///< more processes on this host than cores
  bool on_one_host = true;  ///< all processes share this host's memory, according to MPI
};

/// MPI itself, in this process.
class MpiLibrary {
 public:
  virtual ~MpiLibrary() = default;

  /// "Open MPI v4.1.4"; does not start MPI.
  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual bool has_begun() const = 0;
  [[nodiscard]] virtual bool has_ended() const = 0;
  virtual void begin() = 0;
  virtual void end() = 0;
  /// Ends the whole job with status 1.
  virtual void abort() = 0;

  // Between `begin` and `end`:
  /// All processes call it together.
  [[nodiscard]] virtual MpiPlace look_around() = 0;
  [[nodiscard]] virtual std::unique_ptr<MpiCalls> make_calls() = 0;
  /// The number of processes that MPI has started together.
  [[nodiscard]] virtual Rank size() const = 0;
};

/// Loads the module on the first call. Throws `Error` (bad input) with the reason if it cannot be loaded.
[[nodiscard]] MpiLibrary& mpi_library();

/// The name of the module's only function, `MpiLibrary* NAME()`. It changes when the classes above change.
inline constexpr const char* kMpiModuleFunction = "trireme_mpi_library_3";

}  // namespace trireme::wire::mpi
