// Says ops in words. The same words serve explanations and errors, so that the two cannot drift apart.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace trireme::plan {

/// "element 7", "elements 7–9".
[[nodiscard]] std::string describe_elements(const Slice& slice);

/// "chunk 2", "chunks 2–5", "share 1", "elements 7–9", "the whole buffer": the shortest exact name of a
/// slice.
[[nodiscard]] std::string describe(const PlanSpec& spec, const Slice& slice);

/// What a step is for: "reduce", "share", "push", "pull", "exchange", …
[[nodiscard]] std::string_view phase(const PlanSpec& spec, std::int32_t step);

/// "step 3 of ring: receive chunk 2 from rank 1", for errors. People count steps from 1.
[[nodiscard]] std::string say(const PlanSpec& spec, const Op& op);

}  // namespace trireme::plan
