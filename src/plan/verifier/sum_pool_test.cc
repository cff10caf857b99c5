#include "plan/verifier/sum_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace trireme::plan::verifier {
namespace {

TEST(SumPool, EqualSumsAreTheSameNumber) {
  SumPool pool;
  const Sum a = pool.contribution(0);
  const Sum b = pool.contribution(1);
  const Sum c = pool.contribution(2);
  EXPECT_EQ(a, pool.contribution(0));
  EXPECT_EQ(pool.add(a, b), pool.add(b, a)) << "as in IEEE arithmetic";
  EXPECT_NE(pool.add(pool.add(a, b), c), pool.add(a, pool.add(b, c))) << "as in IEEE arithmetic";
  EXPECT_NE(pool.complete(a), a);
  EXPECT_NE(a, SumPool::kNothing);
}

TEST(SumPool, KnowsWhatIsComplete) {
  SumPool pool;
  const Sum sum = pool.add(pool.contribution(0), pool.contribution(1));
  EXPECT_FALSE(pool.is_complete(sum));
  EXPECT_TRUE(pool.is_complete(pool.complete(sum)));
  EXPECT_FALSE(pool.is_complete(pool.add(pool.complete(sum), sum)));
  EXPECT_FALSE(pool.is_complete(SumPool::kNothing));
}

TEST(SumPool, KeepsSumsApartWhenItGrows) {
  SumPool pool;
  std::vector<Sum> sums{pool.contribution(0)};
  for (Rank rank = 1; rank < 20'000; ++rank) sums.push_back(pool.add(sums.back(), pool.contribution(rank)));
  Sum again = pool.contribution(0);
  for (Rank rank = 1; rank < 20'000; ++rank) {
    again = pool.add(again, pool.contribution(rank));
    ASSERT_EQ(again, sums[idx(rank)]);
    ASSERT_NE(again, sums[idx(rank - 1)]);
  }
}

TEST(SumPool, AChainAddsAroundTheEndOfItsList) {
  SumPool pool;
  const std::vector<Sum> members{pool.contribution(0), pool.contribution(1), pool.contribution(2)};
  const SumPool::List list = pool.list(members);
  EXPECT_EQ(list, pool.list(members));
  EXPECT_EQ(pool.chain(list, 1), pool.add(pool.add(members[1], members[2]), members[0]));
  EXPECT_EQ(pool.chain(list, 1), pool.chain(list, 1));
  const std::vector<Sum> other{members[1], members[0], members[2]};
  EXPECT_NE(pool.list(other), list);
}

TEST(SumPool, CountsHowOftenEachContributionIsIn) {
  SumPool pool;
  const Sum a = pool.contribution(0);
  const Sum b = pool.contribution(2);
  const Sum both = pool.add(a, b);
  EXPECT_EQ(pool.contributions(pool.complete(pool.add(both, a)), 4),
            (std::vector<std::uint32_t>{2, 0, 1, 0}));
  EXPECT_EQ(pool.contributions(SumPool::kNothing, 2), (std::vector<std::uint32_t>{0, 0}));
  Sum doubled = a;
  for (int i = 0; i < 80; ++i) doubled = pool.add(doubled, doubled);
  EXPECT_EQ(pool.contributions(doubled, 1)[0], 0xffffffffU) << "2^80 is not 0";
}

}  // namespace
}  // namespace trireme::plan::verifier
