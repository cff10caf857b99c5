#include "plan/movements/tree_edges.h"

#include <algorithm>
#include <bit>

namespace trireme::plan {

std::int32_t tree_height(Rank workers) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(workers - 1)));
}

std::vector<TreeEdge> tree_edges(Rank workers, Rank root, Rank node) {
  std::vector<TreeEdge> edges;
  const std::int32_t height = tree_height(workers);
  const auto speaker = [&](Rank half, std::int32_t level) {
    return root >> level == half ? root : static_cast<Rank>(half << level);
  };
  for (std::int32_t level = 0; level < height; ++level) {
    const Rank own_half = node >> level;
    const Rank other_half = own_half ^ 1;
    if (speaker(own_half, level) != node) break;
    if (other_half > (workers - 1) >> level) continue;  // there is no such half
    const Rank other = speaker(other_half, level);
    const bool is_parent = speaker(own_half / 2, level + 1) == node;
    const Rank child_half = is_parent ? other_half : own_half;
    edges.push_back({.level = level,
                     .parent = is_parent ? node : other,
                     .child = is_parent ? other : node,
                     .first = child_half << level,
                     .end = std::min(workers, (child_half + 1) << level)});
  }
  return edges;
}

}  // namespace trireme::plan
