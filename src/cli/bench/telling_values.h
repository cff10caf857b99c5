// Values that tell which worker they are from and which element they are, so that the result of an operation
// can be checked. Sums of them are exact in any order.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.h"
#include "plan/plan.h"

namespace trireme::cli {

/// Fills in what elements `first`, `first` + 1, … have on this node.
void fill_in(std::span<float> values, std::int64_t first, Rank node);
[[nodiscard]] bool is_filled_in(std::span<const float> values, std::int64_t first, Rank node);

/// The first element that the node brings: those that it brings follow one another. 0 if it brings none.
[[nodiscard]] std::int64_t first_brought(const plan::PlanSpec& spec, Rank node);

/// Whether the node has got what it should if all nodes have filled in what they bring.
[[nodiscard]] bool has_got_its_part(const plan::PlanSpec& spec, Rank node, std::span<const float> into);

}  // namespace trireme::cli
