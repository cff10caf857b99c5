// The movements that strategies are composed of, for any group of nodes in a circle. Empty parts are skipped
// without being looked at, so a node with few ops is made quickly for any number of nodes.
#pragma once

#include <algorithm>
#include <functional>

#include "plan/strategies/parts.h"
#include "plan/strategies/program_writer.h"

namespace trireme::plan {

/// A node's view of a circle of `size` nodes: its own position, and the rank at each position.
struct Circle {
  Rank size;
  Rank position;
  std::function<Rank(Rank)> rank_at;  ///< position → rank
};

/// Around the ring: size−1 passes that add, then size−1 that share. Part k begins at position k and is
/// complete at k−1. Returns the next free step.
std::int32_t pass_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts);

/// Straight to the owner: every node sends part k to position k, which adds the parts up, beginning with its
/// own.
void give_to_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                    bool completes);

/// Straight back: every owner sends its part to all others.
void get_from_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts);

}  // namespace trireme::plan
