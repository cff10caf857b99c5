#include "wire/roster/roster.h"

#include <gtest/gtest.h>

namespace trireme::wire {
namespace {

TEST(Whereabouts, OfANodeThatWaitsForNobody) {
  Roster roster(3);
  EXPECT_EQ(roster.whereabouts(1), "it is not in the exchange");
  roster.waits_for(1, 2);
  roster.waits_no_more(1);
  EXPECT_EQ(roster.whereabouts(1), "it is not in the exchange");
  roster.leave(1);
  EXPECT_EQ(roster.whereabouts(1), "it has left");
}

TEST(Whereabouts, FollowTheChainToItsEnd) {
  Roster roster(3);
  roster.waits_for(0, 1);
  roster.waits_for(1, 2);
  EXPECT_EQ(roster.whereabouts(1), "it is itself waiting for rank 2, which is not in the exchange");
  EXPECT_EQ(roster.whereabouts(0),
            "it is itself waiting for rank 1, that one for rank 2, which is not in the exchange");
  roster.leave(2);
  EXPECT_EQ(roster.whereabouts(1), "it is itself waiting for rank 2, which has left");
}

TEST(Whereabouts, ShortenALongChain) {
  Roster roster(100);
  for (Rank rank = 0; rank < 99; ++rank) roster.waits_for(rank, rank + 1);
  EXPECT_EQ(roster.whereabouts(0),
            "it is itself waiting for rank 1, that one for rank 2, that one for rank 3, … for rank 99, "
            "which is not in the exchange");
}

TEST(Whereabouts, EndInACircle) {
  Roster roster(3);
  roster.waits_for(0, 1);
  roster.waits_for(1, 2);
  roster.waits_for(2, 1);
  EXPECT_EQ(
      roster.whereabouts(0),
      "it is itself waiting for rank 1, that one for rank 2, that one for rank 1, in a circle: what they "
      "send and receive does not fit together");
}

TEST(Roster, KeepsTheFirstFailure) {
  Roster roster(2);
  EXPECT_FALSE(roster.failed());
  Failure failure;
  failure.what = "first";
  roster.fail(failure);
  failure.what = "second";
  roster.fail(failure);
  EXPECT_TRUE(roster.failed());
  EXPECT_EQ(roster.first_failure()->what, "first");
}

}  // namespace
}  // namespace trireme::wire
