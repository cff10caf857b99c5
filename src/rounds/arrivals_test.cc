#include "rounds/arrivals.h"

#include <gtest/gtest.h>

namespace trireme::rounds {
namespace {

TEST(Arrivals, ABucketIsCompleteWithTheLastOfItsExpectedGradients) {
  Arrivals arrivals(3);
  arrivals.set_buckets(2);
  arrivals.begin();
  arrivals.expect(0);
  arrivals.expect(0);
  arrivals.expect(1);
  EXPECT_FALSE(arrivals.completes(0));
  EXPECT_TRUE(arrivals.completes(1));
  EXPECT_TRUE(arrivals.completes(0));
}

TEST(Arrivals, AGradientArrivesOnceInARound) {
  Arrivals arrivals(2);
  arrivals.begin();
  EXPECT_FALSE(arrivals.any());
  EXPECT_TRUE(arrivals.arrive(1));
  EXPECT_TRUE(arrivals.any());
  EXPECT_FALSE(arrivals.arrive(1));
  arrivals.forget();
  EXPECT_FALSE(arrivals.any());
  EXPECT_TRUE(arrivals.arrive(1));
}

TEST(Arrivals, OpenBucketsThatAreReadyWithAllBeforeThem) {
  Arrivals arrivals(0);
  arrivals.set_buckets(4);
  arrivals.begin();
  arrivals.make_ready(2);
  arrivals.make_ready(0);
  EXPECT_EQ(arrivals.open(), 1U);
  arrivals.make_ready(1);
  EXPECT_EQ(arrivals.open(), 3U);
  arrivals.begin();
  EXPECT_EQ(arrivals.open(), 0U);
}

TEST(Arrivals, AreAllReadyOnlyWithTheLastBucket) {
  Arrivals arrivals(2);
  arrivals.set_buckets(2);
  arrivals.begin();
  arrivals.make_ready(1);
  EXPECT_FALSE(arrivals.is_ready(0));
  EXPECT_TRUE(arrivals.is_ready(1));
  EXPECT_FALSE(arrivals.all_ready());
  EXPECT_EQ(arrivals.open(), 0U);
  arrivals.make_ready(0);
  EXPECT_TRUE(arrivals.all_ready());
  EXPECT_EQ(arrivals.open(), 2U);
  arrivals.begin();
  EXPECT_FALSE(arrivals.is_ready(0));
}

}  // namespace
}  // namespace trireme::rounds
