// Workers that do not wait for all others: asynchronous, stale-synchronous and backup workers, as events
// between workers and the servers that hold the shares of the weights.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "schedule/schedule.h"
#include "sim/model/node_times.h"
#include "sim/model/scenario.h"
#include "sim/model/span.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// A gradient that was applied to the first share of the weights.
struct SimUpdate {
  Rank worker = 0;
  Picoseconds start = 0;  ///< when its worker began to compute it
  Picoseconds end = 0;    ///< when it was applied
  std::int64_t read_version = 0;
  std::int64_t staleness = 0;  ///< updates between reading and applying
};

struct FreeResult {
  std::vector<SimUpdate> updates;       ///< in the order of application
  std::vector<std::int64_t> staleness;  ///< [k]: gradients applied with staleness k, over all shares
  std::vector<NodeTimes> nodes;         ///< by rank
  std::int64_t dropped = 0;             ///< gradients that arrived after their round, or were given up
  std::int64_t rounds = 0;              ///< backup workers: rounds that were completed
  std::int64_t messages = 0;
  std::optional<std::int64_t> bytes;  ///< empty: too many to count
  Picoseconds total = 0;
};

/// Called with each write to any share, dropped ones too, in the order of time; may be empty.
using WriteWatch = std::function<void(const schedule::Write&)>;

/// `gradients` is the number of gradients to compute; the job ends when all are applied, or at `until`.
///
/// A worker computes a gradient and pushes a part of it to each holder of a share. A holder needs some time
/// for each part (`server.aggregate` and `update`), applies it and sends its weights back: the worker
/// continues with the weights that the holder had at that moment. With slack K a holder sends them only when
/// the worker is not more than K updates ahead of the slowest. With B backup workers a holder waits in each
/// round for all but B, and then sends its weights to all workers; those that still compute start again with
/// these weights.
///
/// Gradients are numbered: asynchronous ones in the order in which they are handed out, at a worker's start
/// and in the first holder's answers; with slack and with backup workers, the c-th of worker w is c·n + w,
/// where c counts its own gradients, or rounds.
[[nodiscard]] FreeResult simulate_free(const Scenario& scenario, const plan::PlanSpec& spec,
                                       std::int64_t gradients, const SimWatch& watch = {},
                                       const SimProgress& progress = {}, const WriteWatch& writes = {});

/// Bound on ‖x_async − x_seq‖ as a multiple of ηΔ, if all gradients are at most Δ: the k-th update is
/// compared with the k-th update of a run on one core. As long as all updates so far had staleness 0 they are
/// the same; after that, each pair differs by at most 2, and each update without a counterpart counts 1.
[[nodiscard]] std::int64_t bound_eta_delta(const std::vector<SimUpdate>& updates, std::int64_t sequential);

}  // namespace trireme::sim
