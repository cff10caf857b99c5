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

  /// How a request ended.
  struct Ending {
    std::size_t bytes = 0;   ///< of a receive
    int tag = 0;             ///< of a receive
    bool truncated = false;  ///< more bytes came than there was room for
  };
  struct Remark {
    Rank from = 0;
    int tag = 0;
  };

  virtual ~MpiCalls() = default;

  /// At most INT_MAX bytes each, of messages that arrive in the order in which they were sent.
  virtual Request send(std::span<const std::byte> from, Rank to, int tag) = 0;
  /// The next one from there, with whatever tag.
  virtual Request receive(std::span<std::byte> into, Rank from) = 0;
  /// Nothing while it is under way. Once it has ended, the request is gone.
  virtual std::optional<Ending> test(Request request) = 0;
  /// MPI touches its memory no more, unless somebody makes MPI go on.
  virtual void drop(Request request) noexcept = 0;

  /// Empty messages beside all others; what they say is their tag. Who does not listen is not waited for.
  virtual void remark(Rank to, int tag) = 0;
  virtual std::optional<Remark> next_remark() = 0;
};

}  // namespace trireme
