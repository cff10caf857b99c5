// Lists of ranks as in errors.
#include "wire/roster/rank_list.h"

#include <gtest/gtest.h>

namespace trireme::wire {
namespace {

TEST(AListOfRanks, NamesOne) { EXPECT_EQ(name_ranks({2}), "rank 2"); }

TEST(AListOfRanks, NamesTwoInARowByThemselves) { EXPECT_EQ(name_ranks({2, 3}), "ranks 2 and 3"); }

TEST(AListOfRanks, SaysThreeInARowByTheirEnds) { EXPECT_EQ(list_ranks({0, 1, 2, 3, 7, 9}), "0–3, 7 and 9"); }

TEST(AListOfRanks, EndsAfterEightParts) {
  std::vector<Rank> odd;
  for (Rank rank = 1; rank < 100; rank += 2) odd.push_back(rank);
  EXPECT_EQ(list_ranks(odd), "1, 3, 5, 7, 9, 11, 13, 15 and 42 others");
}

}  // namespace
}  // namespace trireme::wire
