#include "plan/movements/tree_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

namespace trireme::plan {
namespace {

using testing::ElementsAre;

std::vector<std::string> edges(Rank workers, Rank root, Rank node) {
  std::vector<std::string> lines;
  for (const TreeEdge& edge : tree_edges(workers, root, node)) {
    lines.push_back(fmt::format("{}: {} to {}, ranks [{},{})", edge.level, edge.child, edge.parent,
                                edge.first, edge.end));
  }
  return lines;
}

TEST(TreeEdges, LeadToTheRootOverRangesOfRanks) {
  EXPECT_THAT(edges(6, 0, 0),
              ElementsAre("0: 1 to 0, ranks [1,2)", "1: 2 to 0, ranks [2,4)", "2: 4 to 0, ranks [4,6)"));
  EXPECT_THAT(edges(6, 0, 4), ElementsAre("0: 5 to 4, ranks [5,6)", "2: 4 to 0, ranks [4,6)"));
  EXPECT_THAT(edges(6, 3, 3),
              ElementsAre("0: 2 to 3, ranks [2,3)", "1: 0 to 3, ranks [0,2)", "2: 4 to 3, ranks [4,6)"));
  EXPECT_THAT(edges(6, 3, 0), ElementsAre("0: 1 to 0, ranks [1,2)", "1: 0 to 3, ranks [0,2)"));
  EXPECT_THAT(edges(1, 0, 0), ElementsAre());
}

// Both ends see the same edge, and everybody but the root has one edge up, which has the ranks of all edges
// into it below.
TEST(TreeEdges, MakeOneTreeFromEveryRoot) {
  for (Rank n = 1; n <= 17; ++n) {
    for (Rank root = 0; root < n; ++root) {
      for (Rank node = 0; node < n; ++node) {
        Rank below = 1;  // itself
        int up = 0;
        for (const TreeEdge& edge : tree_edges(n, root, node)) {
          const std::string line = fmt::format("{}: {} to {}, ranks [{},{})", edge.level, edge.child,
                                               edge.parent, edge.first, edge.end);
          const Rank other = edge.parent == node ? edge.child : edge.parent;
          EXPECT_THAT(edges(n, root, other), testing::Contains(line));
          EXPECT_LT(edge.level, tree_height(n));
          if (edge.parent == node) {
            below += edge.end - edge.first;
            continue;
          }
          ++up;
          EXPECT_EQ(edge.end - edge.first, below);
        }
        EXPECT_EQ(up, node == root ? 0 : 1);
        if (node == root) {
          EXPECT_EQ(below, n);
        }
      }
    }
  }
}

}  // namespace
}  // namespace trireme::plan
