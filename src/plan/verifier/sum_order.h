// The order of addition that each strategy promises, written independently of the code that makes its ops.
#pragma once

#include "plan/plan.h"
#include "plan/verifier/sum_pool.h"

namespace trireme::plan::verifier {

/// The sum that every worker must hold in chunk k (of p over n) after the exchange.
///
/// - all-to-all, parameter-server, ring, direct: ((g_k + g_{k+1}) + …) + g_{k−1}, by ring position.
/// - recursive-doubling, halving-doubling: ranks that hand over are added to their neighbour; then a
///   balanced binary tree over the participants in order of rank.
/// - tree: a balanced binary tree over the ranks, cut off at n.
/// - hierarchical: with k = place·H + host, first inside each host beginning with that place, then over the
///   hosts beginning with that host.
[[nodiscard]] Sum promised_sum(SumPool& pool, const PlanSpec& spec, std::int64_t k);

/// The same for all chunks in one symbol, for strategies that follow the ring order; kNothing for the others.
[[nodiscard]] Sum promised_in_ring_order(SumPool& pool, const PlanSpec& spec);

/// Whether `promised_sum` is the same for all chunks.
[[nodiscard]] bool same_for_all_chunks(Strategy strategy);

}  // namespace trireme::plan::verifier
