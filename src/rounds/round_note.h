// The note that every node sends before it does something with the others, so that all do the same: exchange
// gradients of so many samples, update weights by this rule, and so on; or that it has no more batches and
// follows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "base/types.h"
#include "optim/rule_spec.h"
#include "wire/wire.h"

namespace trireme::rounds {

enum class RoundKind : std::uint8_t {
  kFollow,     ///< a server, or a worker that has finished: whatever the others do
  kGradients,  ///< gradients are exchanged; an average or a step follows
  kAverage,    ///< gradients have become their average, and that is all
  kStep,       ///< weights are updated by the rule
  kSum,        ///< a few numbers are added up
  kTraffic,    ///< what all nodes have sent is added up
  kSave,       ///< the state of all nodes is saved
  kSettle,     ///< savings that are under way come to their end
  kLoad,       ///< all nodes go on from what was saved
  kPhase,      ///< workers take steps without waiting for all others, until all have left the phase
  kReport,     ///< nodes tell the leader what they have recorded
};

/// What any node may ask of all, as bits.
inline constexpr std::uint8_t kWishSave = 1;  ///< save after this round
inline constexpr std::uint8_t kWishStop = 2;  ///< end the training after this round, in order

/// Goes over the wire as it is.
struct RoundNote {
  static constexpr std::int64_t kNotSaid = -1;

  std::int64_t exchange = 0;  ///< which of several that a program has
  RoundKind kind = RoundKind::kFollow;
  bool is_worker = false;
  bool trains_others = false;       ///< for gradients: other parameters require one than in the round before
  bool lacks_gradients = false;     ///< for an average or a step: a parameter that requires one has none here
  bool with_gradients = false;      ///< for an average or a step: the gradients are yet to be exchanged
  std::int64_t samples = kNotSaid;  ///< that this worker has in this round
  RuleSpec rule{};                  ///< for a step
  std::int64_t numbers = 0;         ///< for a sum: how many
  std::int64_t first = 0;           ///< for a phase: see server/ledger.h
  std::int64_t gradients = 0;       ///< likewise
  bool records = false;             ///< likewise
  std::int32_t drive = 0;           ///< rank 0 decides who drives the next exchange of gradients
  std::uint8_t wishes = 0;
  std::int64_t written = 0;  ///< how many savings this node has written its part of, or failed to
};

/// The round that follows from all notes. A node that knows what its gradients are for offers to exchange
/// them and to do that in one round, with one note; if any node does not know it yet, the gradients come
/// first.
struct Round {
  RoundKind kind = RoundKind::kFollow;  ///< kFollow: all workers have finished
  bool uneven = false;                  ///< some workers have finished and others have not
  Rank leader = 0;                      ///< the first worker that has not finished
  std::int64_t active = 0;              ///< how many have not
  std::int64_t divisor = 1;             ///< divides the sum of gradients, each times its samples: at least 1
  RuleSpec rule{};
  std::int64_t numbers = 0;
  std::int64_t first = 0;
  std::int64_t gradients = 0;
  bool records = false;
  std::int32_t drive = 0;
  bool trains_others = false;    ///< some worker does
  bool lacks_gradients = false;  ///< all workers do: there may be parameters for which nobody has one
  bool with_gradients = false;   ///< for an average or a step: the gradients are exchanged first
  std::uint8_t wishes = 0;       ///< of any node
  std::int64_t written = 0;      ///< how many savings every node is through with
};

/// *Together.* Throws `Error`, on all nodes, when those that have not finished are about to do different
/// things.
[[nodiscard]] Round agree_on_round(wire::Wire& wire, const RoundNote& own, const Deadline& deadline);

/// Does the same with the notes of all ranks alone, for the node `rank`.
[[nodiscard]] Round round_of(std::span<const RoundNote> notes, const wire::Members& members, Rank rank);

}  // namespace trireme::rounds
