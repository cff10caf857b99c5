#include "plan/ring_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "plan/plan_test_util.h"

namespace trireme::plan {
namespace {

using testing::HasSubstr;

std::string refusal(std::vector<Rank> ranks) {
  try {
    const RingOrder order(std::move(ranks));
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(RingOrder, IsTheOrderOfRanksByDefault) {
  const RingOrder order;
  EXPECT_TRUE(order.is_default());
  EXPECT_EQ(order.rank_at(5), 5);
  EXPECT_EQ(order.position_of(999'999), 999'999);
}

TEST(RingOrder, KnowsWhoStandsWhere) {
  const RingOrder order({0, 1, 3, 2});
  EXPECT_FALSE(order.is_default());
  EXPECT_EQ(order.rank_at(2), 3);
  EXPECT_EQ(order.rank_at(3), 2);
  EXPECT_EQ(order.position_of(3), 2);
  EXPECT_EQ(order.position_of(0), 0);
}

TEST(RingOrder, RefusesRanksThatDoNotExist) {
  EXPECT_THAT(refusal({0, 3, 1}), HasSubstr("the ring order names rank 3, but there are 3 workers"));
  EXPECT_THAT(refusal({0, -1, 1}), HasSubstr("the ring order names rank -1, but there are 3 workers"));
}

TEST(RingOrder, RefusesARankNamedTwice) {
  EXPECT_THAT(refusal({0, 2, 2}), HasSubstr("the ring order names rank 2 twice"));
}

TEST(RingOrder, OrdersAreEqualWhenTheirRanksAre) {
  EXPECT_EQ(RingOrder({1, 0}), RingOrder({1, 0}));
  EXPECT_NE(RingOrder({1, 0}), RingOrder({0, 1}));
}

RC_GTEST_PROP(RingOrder, PositionIsTheInverseOfRank, ()) {
  const auto n = *rc::gen::inRange<std::int32_t>(1, 500);
  const RingOrder order = shuffled_order(n, *rc::gen::arbitrary<std::uint32_t>());
  for (Rank i = 0; i < n; ++i) {
    RC_ASSERT(order.position_of(order.rank_at(i)) == i);
    RC_ASSERT(order.rank_at(order.position_of(i)) == i);
  }
}

}  // namespace
}  // namespace trireme::plan
