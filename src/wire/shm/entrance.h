// Everything that nodes of shared memory do together begins at an entrance: all come, and all see that all
// are there for the same thing.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/deadline.h"
#include "base/types.h"
#include "wire/call_signature.h"
#include "wire/shm/windows.h"

namespace trireme::wire::shm {

class Entrance final : public Awaited {
 public:
  explicit Entrance(Windows& windows) : windows_(windows), ticks_(windows.ticks()) {}

  /// Says what this node has come for. Returns the first of `ticks` numbers, the one of the entrance.
  std::uint64_t come(const CallSignature& signature, std::uint64_t ticks = 1);
  /// This node is there, and so is all that it brings.
  void raise() { ticks_.raise(tick_); }
  /// Everybody is there.
  bool arrived() override;
  /// When everybody is there: throws `Error` on all nodes when they have not come for the same thing.
  void require_same() const;

  /// The node that is waited for: preferably one that has left.
  [[nodiscard]] Rank missing_node() const;
  [[nodiscard]] Transfer missing(const Roster& roster) const override;

 private:
  Windows& windows_;
  Ticks& ticks_;
  std::uint64_t tick_ = 0;
  Rank next_ = 0;  // all before are there
};

/// What `Wire::gather_notes` and `Wire::meet` do where the nodes have windows.
void gather_notes(Windows& windows, std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                  const Deadline& deadline);
void meet(Windows& windows, const Deadline& deadline);

}  // namespace trireme::wire::shm
