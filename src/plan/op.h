// The ops of one node in an exchange: sends, receives and local folds, in steps.
//
// A node posts all sends and receives of a step at once and continues when all are complete; then it runs the
// step's folds. A slice that is being sent is not written in that step. Data that arrives and cannot be added
// yet goes to the node's room.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"
#include "plan/slice.h"

namespace trireme::plan {

/// The receiver's action on a message.
enum class Action : std::uint8_t {
  kAdd,     ///< adds it to what it holds
  kCopy,    ///< copies it over what it holds
  kKeep,    ///< puts it aside in its room, to be folded later in the fixed order
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
  /// For a receive to keep: the first element of the room that it fills. For a fold: the index of its first
  /// source in the program.
  std::int64_t room = 0;
  std::int32_t step = 0;
  Rank peer = 0;                  ///< fold: the node itself
  std::int32_t source_count = 0;  ///< fold: how many sources it adds up
  OpKind kind = OpKind::kSend;
  Action action = Action::kCopy;
  /// This op completes the sum of the slice: here the one division of an average, or the update rule, is
  /// applied.
  bool completes = false;
  /// For a fold: whether chunk k of the buffer is added up starting with source k; otherwise always with
  /// source 0.
  bool by_chunk = false;

  friend bool operator==(const Op&, const Op&) = default;
};

/// Whether a received message goes to the room instead of the buffer.
[[nodiscard]] inline bool goes_to_room(Action action) {
  return action == Action::kKeep || action == Action::kUpdate;
}

/// One summand of a fold: a contribution put aside in the room, or (room == kOwn) the node's own.
struct Source {
  static constexpr std::int64_t kOwn = -1;

  Rank rank = 0;
  std::int64_t room = kOwn;  ///< element of the room that holds the first element of the fold's slice

  friend bool operator==(const Source&, const Source&) = default;
};

/// All ops of one node, ordered by step; within a step messages come first and folds last.
struct Program {
  Rank node = 0;
  std::vector<Op> ops;
  std::vector<Source> sources;     ///< of all folds, grouped by fold
  std::int64_t room_elements = 0;  ///< how much room the node needs

  friend bool operator==(const Program&, const Program&) = default;
};

[[nodiscard]] const char* name(Action action);

}  // namespace trireme::plan
