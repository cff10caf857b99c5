// The results that a spec promises, with the order of addition, written independently of the code that makes
// ops.
#pragma once

#include "plan/plan.h"
#include "plan/verifier/sum_pool.h"

namespace trireme::plan::verifier {

/// The contribution or the sum that lies in an element of a result. Of what is only moved: the contribution
/// of the worker that had it.
[[nodiscard]] Sum promised_in(SumPool& pool, const PlanSpec& spec, std::int64_t element);

/// The first element after this one for which something else may be promised.
[[nodiscard]] std::int64_t promise_end(const PlanSpec& spec, std::int64_t element);

/// The sum in chunk k (of p over n) of a result.
///
/// - all-to-all, parameter-server, ring, direct: ((g_k + g_{k+1}) + …) + g_{k−1}, by ring position.
/// - recursive-doubling, halving-doubling: ranks that hand over are added to their neighbour; then a
///   balanced binary tree over the participants in order of rank.
/// - tree: a balanced binary tree over the ranks, cut off at n.
/// - hierarchical: with k = place·H + host, first inside each host beginning with that place, then over the
///   hosts beginning with that host.
[[nodiscard]] Sum promised_sum(SumPool& pool, const PlanSpec& spec, std::int64_t k);

/// The same for all chunks in one symbol, for sums by strategies that follow the ring order; otherwise
/// kNothing.
[[nodiscard]] Sum promised_in_ring_order(SumPool& pool, const PlanSpec& spec);

}  // namespace trireme::plan::verifier
