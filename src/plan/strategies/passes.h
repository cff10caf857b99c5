// The movements that strategies are put together from, for any group of nodes that stand in a circle. Empty
// parts are stepped over, not looked at: a node with few ops is made in little time, however many nodes there
// are.
#pragma once

#include <algorithm>
#include <functional>

#include "plan/strategies/parts.h"
#include "plan/strategies/program_writer.h"

namespace trireme::plan {

/// A node's view of a circle of `size` nodes: its own position in it, and who stands where.
struct Circle {
  Rank size;
  Rank position;
  std::function<Rank(Rank)> rank_at;  ///< position → rank
};

/// Around the ring: size−1 passes that add, size−1 that share. Part k begins at position k and is complete at
/// k−1. Returns the next free step.
std::int32_t pass_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts);

/// Straight to its owner: everybody gives part k to position k, which adds it up, beginning with its own.
void give_to_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                    bool completes);

/// And straight back: every owner sends its part to everybody.
void get_from_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts);

}  // namespace trireme::plan
