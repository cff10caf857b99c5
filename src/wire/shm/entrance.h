// Everything that nodes of shared memory do together begins at an entrance: all come, and all see that all
// are there for the same thing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/deadline.h"
#include "base/types.h"
#include "wire/call_signature.h"
#include "wire/members.h"
#include "wire/roster/roster.h"
#include "wire/shm/ticks.h"
#include "wire/waiting/waiter.h"

namespace trireme::wire::shm {

class Windows;

/// One node's view of the entrances of a job or of a group, one after the other; ranks are those there.
///
/// A node that needs nothing from the others may go on before all have come, up to `kMostAhead` calls
/// further. So it knows of all calls but the last few that all have done with them, and have called the same.
/// A node that calls something else, or does not come, is noticed by all in one of these calls, or in the
/// next for which all wait.
class Entrance {
 public:
  /// They outlive it.
  Entrance(Ticks& ticks, const Members& members, Rank rank, const Roster& roster);

  /// Whether all have come to all calls to which this node has come, but for the last `but`. Throws `Error`,
  /// on all nodes, when they have not come for the same thing, or this node has left.
  bool attended(std::uint64_t but = 0);
  /// Whether there is room for the note of another call.
  bool is_open() { return attended(kOpenBut); }
  static constexpr std::uint64_t kOpenBut = kMostAhead - 1;
  /// This node comes, when it is open, and says what for. Returns the first of `ticks` numbers, the one of
  /// the entrance.
  std::uint64_t come(const CallSignature& signature, std::uint64_t ticks = 1);
  /// Whether a node that is at the last entrance has come for the same as this one, there and before.
  [[nodiscard]] bool is_same(Rank node) const { return is_same(node, ticks_.calls()); }
  /// The node that is waited for: preferably one that has left.
  [[nodiscard]] Rank missing_node() const;

 private:
  [[nodiscard]] bool is_same(Rank node, std::uint64_t call) const {
    return ticks_.note_of(node, call).digest == ticks_.note_of(rank_, call).digest;
  }
  [[nodiscard]] bool is_there(Rank node) const {
    return ticks_.reached(node, ticks_of_calls_[awaited_ % kNotes], awaited_);
  }
  [[nodiscard]] bool are_same(std::uint64_t call) const;
  [[nodiscard]] Error first_difference() const;

  Ticks& ticks_;
  const Members& members_;
  const Rank rank_;
  const Roster& roster_;
  std::array<std::uint64_t, kNotes> ticks_of_calls_{};
  std::uint64_t attended_ = 0;  // all have come to all calls up to this one
  std::uint64_t awaited_ = 0;   // the call whose notes were looked at last
  Rank next_ = 0;               // all before have come to that one
};

/// Waits until all have come to all calls but for the last `but`.
class Attendance final : public Awaited {
 public:
  explicit Attendance(Windows& windows, std::uint64_t but = 0);

  bool arrived() override { return entrance_.attended(but_); }
  [[nodiscard]] Transfer missing(const Roster& roster) const override;

 private:
  Windows& windows_;
  Entrance& entrance_;
  const std::uint64_t but_;
};

/// What `Wire::gather_notes` and `Wire::meet` do where the nodes have windows.
void gather_notes(Windows& windows, std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                  const Deadline& deadline);
void meet(Windows& windows, const Deadline& deadline);

}  // namespace trireme::wire::shm
