// Describes ops in words. Explanations and errors use the same words, so they cannot diverge.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace trireme::plan {

/// "element 7", "elements 7–9".
[[nodiscard]] std::string describe_elements(const Slice& slice);

/// "chunk 2", "chunks 2–5", "chunk 2 of row 0", "share 1", "elements 7–9", "the whole buffer": the shortest
/// exact name of a slice.
[[nodiscard]] std::string describe(const PlanSpec& spec, const Slice& slice);

/// Whether its messages are chunks, one for each worker.
[[nodiscard]] bool has_chunks(const PlanSpec& spec);

/// The purpose of a step: "reduce", "share", "push", "pull", "exchange", "gather", …
[[nodiscard]] std::string_view phase(const PlanSpec& spec, std::int32_t step);

/// "step 3 of ring: receive chunk 2 from rank 1", for errors. Steps are shown counted from 1.
[[nodiscard]] std::string say(const PlanSpec& spec, const Op& op);

}  // namespace trireme::plan
