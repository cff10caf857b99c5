// The norm of gradients whose averages lie with the holders of shares. It has the same bits as on a node that
// has all of them.
//
// The holders tell all nodes the sums of the blocks that lie in their share (see `optim/norm.h`), and the
// elements of those that the border of a share cuts, in one sum for all buckets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"
#include "rounds/bucket_runners.h"
#include "rounds/update/share_sum.h"

namespace trireme::rounds {

/// How many numbers the holders tell about a bucket.
[[nodiscard]] std::int64_t norm_numbers(const plan::PlanSpec& bucket);

/// *Together*, servers too. The sums of squares of all blocks of all buckets in their order. A node knows the
/// elements that lie in its share; all have room for all elements.
[[nodiscard]] std::vector<double> block_sums_of_shares(ShareSum& sum, Rank rank,
                                                       std::span<const BucketPlan> buckets);

/// *Together*, servers too. The factor for the averages in all buckets that makes their norm at most `most`.
[[nodiscard]] float clip_factor_of(ShareSum& sum, Rank rank, const BucketRunners& runners, double most);

}  // namespace trireme::rounds
