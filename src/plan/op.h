// What one node does in an exchange: a list of sends, receives and local folds, in steps.
//
// A node posts all sends and receives of a step at once and goes on when all are complete; then it runs the
// step's folds. A slice that is being sent is not written in that step. What arrives and cannot be added yet
// goes to the node's room.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"
#include "plan/slice.h"

namespace trireme::plan {

/// What the receiver of a message does with it.
enum class Action : std::uint8_t {
  kAdd,     ///< adds it onto what it holds
  kCopy,    ///< copies it over what it holds
  kKeep,    ///< puts it aside in its room, to be folded in the fixed order
  kUpdate,  ///< likewise, at the holder of a share, which then applies the update rule (here: the identity on
            ///< the sum)
};

enum class OpKind : std::uint8_t {
  kSend,
  kReceive,
  kFold,  ///< local: adds up the contributions that lie in the room and, if it has one, the node's own
};

/// One op of one node. The two ends of a message are two ops with the same id, step, slice and action.
struct Op {
  OpId id = 0;
  Slice slice;
  /// Receive to keep: the first element of the room that it fills. Fold: the index of its first source in the
  /// program.
  std::int64_t room = 0;
  std::int32_t step = 0;
  Rank peer = 0;                  ///< fold: the node itself
  std::int32_t source_count = 0;  ///< fold: how many sources it adds up
  OpKind kind = OpKind::kSend;
  Action action = Action::kCopy;
  /// With this op the sum of the slice is complete: the place for the one division of an average, or for the
  /// update rule.
  bool completes = false;
  /// Fold: chunk k of the buffer is added up starting with source k; otherwise always with source 0.
  bool by_chunk = false;

  friend bool operator==(const Op&, const Op&) = default;
};

/// Whether what arrives goes to the room and not to the buffer.
[[nodiscard]] inline bool goes_to_room(Action action) {
  return action == Action::kKeep || action == Action::kUpdate;
}

/// One summand of a fold: a contribution put aside, or (room == kOwn) what the node itself holds.
struct Source {
  static constexpr std::int64_t kOwn = -1;

  Rank rank = 0;
  std::int64_t room = kOwn;  ///< element of the room that holds the first element of the fold's slice

  friend bool operator==(const Source&, const Source&) = default;
};

/// All that one node does, ordered by step; within a step messages first, folds last.
struct Program {
  Rank node = 0;
  std::vector<Op> ops;
  std::vector<Source> sources;     ///< of all folds, one fold's after another's
  std::int64_t room_elements = 0;  ///< how much room the node needs

  friend bool operator==(const Program&, const Program&) = default;
};

[[nodiscard]] const char* name(Action action);

}  // namespace trireme::plan
