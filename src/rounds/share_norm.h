// The norm of gradients whose averages lie with the holders of shares. It has the same bits as on a node that
// has all of them.
#pragma once

#include <span>
#include <vector>

#include "base/deadline.h"
#include "plan/plan.h"
#include "rounds/bucket_runners.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// *Together.* The sums of squares of all blocks of one bucket in their order (see `optim/norm.h`). A
/// node knows the elements of `bucket` that lie in its share; all have room for spec.parameters. Holders tell
/// everybody the sums of the blocks that lie in their share, and the elements of those that only partly do.
[[nodiscard]] std::vector<double> block_sums_of_shares(wire::Wire& wire, const plan::PlanSpec& spec,
                                                       std::span<const float> bucket,
                                                       const Deadline& deadline);

/// *Together.* The factor for the averages in all buckets that makes their norm at most `most`.
[[nodiscard]] float clip_factor_of(wire::Wire& wire, const BucketRunners& runners, double most,
                                   const Deadline& deadline);

}  // namespace trireme::rounds
