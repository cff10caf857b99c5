// The part of the buffer that each parameter server holds, and which node that server is.
#pragma once

#include "plan/plan.h"

namespace trireme::plan {

/// The number of shares that the buffer is cut into: one per dedicated server, or one per worker that holds a
/// share.
[[nodiscard]] std::int32_t share_count(const PlanSpec& spec);

/// Share j: from near j·p/s to near (j+1)·p/s. A border moves to a variable's border within 1 % of p/s, so
/// small variables stay whole and large ones are cut. If all variables must stay whole, it moves to the
/// nearest one, or to an end of the buffer.
[[nodiscard]] Slice share(const PlanSpec& spec, std::int32_t j);

/// How many shares are not empty.
[[nodiscard]] std::int64_t filled_shares(const PlanSpec& spec);

/// The node that holds share j. Shares on workers are spread evenly over the ring.
[[nodiscard]] Rank share_holder(const PlanSpec& spec, std::int32_t j);

/// The share that a node holds, or −1 for none.
[[nodiscard]] std::int32_t share_held_by(const PlanSpec& spec, Rank node);

}  // namespace trireme::plan
