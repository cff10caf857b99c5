#include "plan/verifier/sum_order.h"

#include <bit>
#include <vector>

#include "plan/movements/pairing_off.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan::verifier {
namespace {

Sum in_ring_order(SumPool& pool, const PlanSpec& spec, std::int64_t k) {
  const auto n = static_cast<std::int64_t>(spec.workers);
  Sum sum = pool.contribution(spec.order.rank_at(static_cast<Rank>(k)));
  for (std::int64_t i = 1; i < n; ++i) {
    sum = pool.add(sum, pool.contribution(spec.order.rank_at(static_cast<Rank>((k + i) % n))));
  }
  return sum;
}

Sum over_participants(SumPool& pool, const PairingOff& pairs, Rank first, Rank count) {
  if (count > 1) {
    return pool.add(over_participants(pool, pairs, first, count / 2),
                    over_participants(pool, pairs, first + count / 2, count / 2));
  }
  const Rank rank = pairs.rank_of(first);
  const Sum own = pool.contribution(rank);
  return pairs.takes_over(rank) ? pool.add(pool.contribution(rank - 1), own) : own;
}

Sum over_ranks(SumPool& pool, Rank first, Rank count, Rank workers) {
  if (count == 1) return pool.contribution(first);
  const Sum lower = over_ranks(pool, first, count / 2, workers);
  const Rank middle = first + count / 2;
  return middle < workers ? pool.add(lower, over_ranks(pool, middle, count / 2, workers)) : lower;
}

Sum over_hosts(SumPool& pool, const PlanSpec& spec, std::int64_t k) {
  const Rank hosts = spec.hosts;
  const Rank per_host = spec.workers / hosts;
  const auto place = static_cast<Rank>(k / hosts);
  const auto first_host = static_cast<Rank>(k % hosts);
  Sum sum = SumPool::kNothing;
  for (Rank h = 0; h < hosts; ++h) {
    const Rank base = (first_host + h) % hosts * per_host;
    Sum inside = pool.contribution(base + place);
    for (Rank i = 1; i < per_host; ++i) {
      inside = pool.add(inside, pool.contribution(base + (place + i) % per_host));
    }
    sum = h == 0 ? inside : pool.add(sum, inside);
  }
  return sum;
}

Sum added_up(SumPool& pool, const PlanSpec& spec, std::int64_t k) {
  if (follows_ring_order(spec.operation, spec.strategy)) return in_ring_order(pool, spec, k);
  if (spec.strategy == Strategy::kHierarchical) return over_hosts(pool, spec, k);
  if (spec.strategy == Strategy::kTree) {
    return over_ranks(pool, 0, static_cast<Rank>(std::bit_ceil(static_cast<std::uint32_t>(spec.workers))),
                      spec.workers);
  }
  const PairingOff pairs(spec.workers);
  return over_participants(pool, pairs, 0, pairs.participants);
}

// Whether a sum is added up in the same order in all chunks.
bool has_one_order(const PlanSpec& spec) {
  return !follows_ring_order(spec.strategy) && spec.strategy != Strategy::kHierarchical;
}

}  // namespace

Sum promised_sum(SumPool& pool, const PlanSpec& spec, std::int64_t k) {
  const Sum sum = added_up(pool, spec, k);
  return spec.nodes() == 1 ? sum : pool.complete(sum);  // a single node has nothing to complete
}

Sum promised_in_ring_order(SumPool& pool, const PlanSpec& spec) {
  const bool is_sum = spec.operation == Operation::kSum;
  if (!is_sum || !follows_ring_order(spec.strategy) || spec.nodes() == 1) return SumPool::kNothing;
  std::vector<Sum> contributions;
  contributions.reserve(idx(spec.workers));
  for (Rank at = 0; at < spec.workers; ++at)
    contributions.push_back(pool.contribution(spec.order.rank_at(at)));
  return pool.complete(pool.by_chunk(pool.list(contributions)));
}

Sum promised_in(SumPool& pool, const PlanSpec& spec, std::int64_t element) {
  const auto chunk_here = [&] { return chunk_of(element, spec.parameters, spec.workers); };
  switch (spec.operation) {
    case Operation::kSum:
      return promised_sum(pool, spec, has_one_order(spec) ? 0 : chunk_here());
    case Operation::kReduceScatter:
      return promised_sum(pool, spec, chunk_here());
    case Operation::kBroadcast:
    case Operation::kScatter:
      return pool.contribution(spec.root);
    case Operation::kGather:
    case Operation::kAllGather:
      return pool.contribution(static_cast<Rank>(chunk_here()));
    case Operation::kAllToAll:
      return pool.contribution(static_cast<Rank>(element / spec.parameters));
  }
  return SumPool::kNothing;
}

std::int64_t promise_end(const PlanSpec& spec, std::int64_t element) {
  if (spec.operation == Operation::kAllToAll) return (element / spec.parameters + 1) * spec.parameters;
  const bool one_for_all = spec.operation == Operation::kSum ? has_one_order(spec) : has_root(spec.operation);
  if (one_for_all && spec.operation != Operation::kGather) return spec.parameters;
  return chunk(chunk_of(element, spec.parameters, spec.workers), spec.parameters, spec.workers).end();
}

}  // namespace trireme::plan::verifier
