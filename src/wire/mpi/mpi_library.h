// What the MPI wire needs of MPI, without MPI's own types. The module libtrireme_mpi.so implements it, the
// one file that sees mpi.h; it is loaded where MPI is used, so that programs do without libmpi otherwise.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/types.h"

namespace trireme::wire::mpi {

/// Nonblocking calls among all processes. Throws `Error` with MPI's own words when MPI fails.
class MpiCalls {
 public:
  using Request = std::size_t;

  /// A message that has come.
  struct Arrival {
    std::size_t bytes = 0;
    int tag = 0;
  };
  struct Remark {
    Rank from = 0;
    int tag = 0;
  };

  virtual ~MpiCalls() = default;

  /// At most INT_MAX bytes each, of messages that arrive in the order in which they were sent.
  virtual Request send(std::span<const std::byte> from, Rank to, int tag) = 0;
  /// The next one from there, if it has come. It is looked at before it is received: MPI may write beyond the
  /// end of memory that is too small for it.
  virtual std::optional<Arrival> next_from(Rank from) = 0;
  /// Receives what `next_from` has found last, all of it.
  virtual Request receive(std::span<std::byte> into) = 0;
  /// True when it has ended; the request is then gone.
  virtual bool test(Request request) = 0;
  /// MPI touches its memory no more, unless somebody makes MPI go on.
  virtual void drop(Request request) noexcept = 0;

  /// Empty messages beside all others; what they say is their tag. Who does not listen is not waited for.
  virtual void remark(Rank to, int tag) = 0;
  virtual std::optional<Remark> next_remark() = 0;

  /// All processes together, with the same length: everybody's bytes, by rank.
  virtual Request gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
  /// All processes together, when no request is left.
  virtual void free() = 0;
};

/// Where this process is among all.
struct MpiPlace {
  Rank rank = 0;
  Rank size = 1;
  bool crowded = false;     ///< more processes on this host than cores
  bool on_one_host = true;  ///< all processes share this host's memory, as MPI sees it
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

  // Between `begin` and `end`.
  /// All processes together.
  [[nodiscard]] virtual MpiPlace look_around() = 0;
  [[nodiscard]] virtual std::unique_ptr<MpiCalls> make_calls() = 0;
  /// Processes that MPI has started together.
  [[nodiscard]] virtual Rank size() const = 0;
};

/// Loads the module, the first time. Throws `Error` (bad input) with the reason where it cannot be loaded.
[[nodiscard]] MpiLibrary& mpi_library();

/// The name of the module's one function, `MpiLibrary* NAME()`: it changes with what is above.
inline constexpr const char* kMpiModuleFunction = "trireme_mpi_library_1";

}  // namespace trireme::wire::mpi
