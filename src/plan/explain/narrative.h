// An exchange as a story: the events in order, with numbers if there are any.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

/// Numbers of every worker, by rank: what it holds before the operation, or afterwards, slice after slice
/// (`holdings`). A worker may bring more numbers than that; the rest of them is not looked at.
using Values = std::vector<std::vector<double>>;

/// The update that the holder of a share applies: weight − rate · sum / workers.
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

  // Empty unless values were given. All are sums, never averages; but a fold that updates weights leaves
  // weights, and the messages after it carry weights.
  std::vector<double> sent;    ///< the message; for a fold of a single element its summands in order
  std::vector<double> before;  ///< what the receiver held there
  std::vector<double> after;   ///< what it holds afterwards where the op put it: in its buffer or in its room
  // For a fold that updates weights, from `before` to `after`:
  std::vector<double> sums;  ///< the sums of the contributions
  double rate = 0;

  [[nodiscard]] bool is_fold() const { return op->kind == OpKind::kFold; }
};

struct Narrative {
  std::vector<Event> events;  ///< by step; in a step messages by sender and receiver, then folds by node
  Values results;             ///< by worker; empty unless values were given
};

/// Tells a verified plan. With `node`, `events` has only those in which that node takes part. With `update`,
/// the holders of shares update the weights, and the workers' results are weights; without it they are sums.
[[nodiscard]] Narrative narrate(const Plan& plan, const Values* values = nullptr,
                                std::optional<Rank> node = std::nullopt, const SgdUpdate* update = nullptr);

/// Only the results, by worker.
[[nodiscard]] Values calculate(const Plan& plan, const Values& values, const SgdUpdate* update = nullptr);

/// One node's own program as a story, without the other nodes.
[[nodiscard]] Narrative narrate(const Program& program);

}  // namespace trireme::plan
