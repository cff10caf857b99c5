// Which part of the buffer each parameter server holds, and who that server is.
#pragma once

#include "plan/plan.h"

namespace trireme::plan {

/// How many shares the buffer is cut into: one per dedicated server, or as many as live on workers.
[[nodiscard]] std::int32_t share_count(const PlanSpec& spec);

/// Share j: from near j·p/s to near (j+1)·p/s. A border moves to a variable's border within 1 % of p/s, so
/// that small variables stay whole and large ones are cut.
[[nodiscard]] Slice share(const PlanSpec& spec, std::int32_t j);

/// The node that holds share j. Shares on workers are spread evenly over the ring.
[[nodiscard]] Rank share_holder(const PlanSpec& spec, std::int32_t j);

/// The share that a node holds, or −1.
[[nodiscard]] std::int32_t share_held_by(const PlanSpec& spec, Rank node);

}  // namespace trireme::plan
