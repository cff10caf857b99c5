// The norm of gradients whose averages lie with the holders of shares, with the same bits as that of who has
// all of them.
#pragma once

#include <span>
#include <vector>

#include "base/deadline.h"
#include "plan/plan.h"
#include "rounds/bucket_exchange.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// *Together.* The sums of squares of all blocks of one bucket in their order (see `optim/norm.h`). Of
/// `bucket`, spec.parameters elements, a node knows those of the share that it holds. Holders tell everybody
/// the sums of the blocks that lie in their share, and the elements of those that only partly do.
[[nodiscard]] std::vector<double> block_sums_of_shares(wire::Wire& wire, const plan::PlanSpec& spec,
                                                       std::span<const float> bucket,
                                                       const Deadline& deadline);

/// *Together.* By what the averages in all buckets are to be multiplied so that their norm is at most `most`.
[[nodiscard]] float clip_factor_of(wire::Wire& wire, const BucketExchange& exchange, double most,
                                   const Deadline& deadline);

}  // namespace trireme::rounds
