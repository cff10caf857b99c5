// An exchange as a story: what happens, in order, and with numbers if there are any.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

/// What every worker brings, by rank: p numbers each.
using Values = std::vector<std::vector<double>>;

/// What the holder of a share does with it: weight − rate · sum / workers.
struct SgdUpdate {
  std::vector<double> weights;  ///< p of them, before the exchange
  double rate = 0;
};

/// A message (op: its receiving end) or a fold (from == to).
struct Event {
  Rank from = 0;
  Rank to = 0;
  const Op* op = nullptr;           ///< lives as long as the plan
  std::span<const Source> sources;  ///< of a fold; likewise

  // Empty unless values were given. All are sums, never averages; but what a fold leaves that updates weights
  // are weights, and so is what is sent from there on.
  std::vector<double> sent;    ///< the message; for a fold of a single element its summands in order
  std::vector<double> before;  ///< what the receiver held there
  std::vector<double> after;  ///< what it then holds where the op put it: in its buffer, or aside in its room
  // Of a fold that updates weights, from `before` to `after`:
  std::vector<double> sums;  ///< what it added up
  double rate = 0;

  [[nodiscard]] bool is_fold() const { return op->kind == OpKind::kFold; }
};

struct Narrative {
  std::vector<Event> events;  ///< by step; in a step messages by sender and receiver, then folds by node
  Values results;             ///< by worker; empty unless values were given
};

/// Tells a verified plan. With `node` only what that node takes part in is in `events`. With `update`,
/// holders of shares update the weights, and these are what workers end with; without it, sums.
[[nodiscard]] Narrative narrate(const Plan& plan, const Values* values = nullptr,
                                std::optional<Rank> node = std::nullopt, const SgdUpdate* update = nullptr);

/// Only where it ends, by worker.
[[nodiscard]] Values calculate(const Plan& plan, const Values& values, const SgdUpdate* update = nullptr);

/// One node's own program as a story, without the others'.
[[nodiscard]] Narrative narrate(const Program& program);

}  // namespace trireme::plan
