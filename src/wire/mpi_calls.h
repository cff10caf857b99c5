// What the MPI wire needs of MPI, without MPI's own types, which one file alone sees.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/types.h"

namespace trireme {

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
};

}  // namespace trireme
