// An exchange as a story: what happens, in order, and with numbers if there are any.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace trireme {

/// What every worker brings, by rank: p numbers each.
using Values = std::vector<std::vector<double>>;

/// A message (op: its receiving end) or a fold (from == to).
struct Event {
  Rank from = 0;
  Rank to = 0;
  const Op* op = nullptr;           ///< lives as long as the plan
  std::span<const Source> sources;  ///< of a fold; likewise

  // Empty unless values were given. All are sums, never averages.
  std::vector<double> sent;    ///< the message; for a fold of a single element its summands in order
  std::vector<double> before;  ///< what the receiver held there
  std::vector<double> after;  ///< what it then holds where the op put it: in its buffer, or aside in its room

  [[nodiscard]] bool is_fold() const { return op->kind == OpKind::kFold; }
};

struct Narrative {
  std::vector<Event> events;  ///< by step; in a step messages by sender and receiver, then folds by node
  Values results;             ///< by worker; empty unless values were given
};

/// Tells a verified plan. With `node` only what that node takes part in is in `events`.
[[nodiscard]] Narrative narrate(const Plan& plan, const Values* values = nullptr,
                                std::optional<Rank> node = std::nullopt);

/// Only where it ends, by worker.
[[nodiscard]] Values calculate(const Plan& plan, const Values& values);

/// One node's own program as a story, without the others'.
[[nodiscard]] Narrative narrate(const Program& program);

}  // namespace trireme
