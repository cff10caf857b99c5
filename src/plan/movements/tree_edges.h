// The edges of a binomial tree over the ranks, with any of them as its root.
//
// The ranks are halved again and again: [0, n) at a power of two, both halves likewise, down to single ranks.
// In the half with the root the root speaks for all, in any other half the lowest rank. Each two halves are
// joined by one edge between their speakers: so what lies below an edge is always one range of ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace trireme::plan {

struct TreeEdge {
  std::int32_t level = 0;  ///< 0 joins neighbours; on the way up an edge is used in this step
  Rank parent = 0;
  Rank child = 0;
  Rank first = 0;  ///< ranks [first, end) are below the edge: the child's half
  Rank end = 0;
};

/// ⌈lg n⌉: the number of levels.
[[nodiscard]] std::int32_t tree_height(Rank workers);

/// The edges of one node, by ascending level.
[[nodiscard]] std::vector<TreeEdge> tree_edges(Rank workers, Rank root, Rank node);

}  // namespace trireme::plan
