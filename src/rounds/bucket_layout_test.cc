#include "rounds/bucket_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace trireme::rounds {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::size_t>> gradients_by_bucket(const std::vector<BucketLayout>& buckets) {
  std::vector<std::vector<std::size_t>> found;
  for (const BucketLayout& bucket : buckets) {
    found.emplace_back();
    for (const GradientPlace& place : bucket.places) found.back().push_back(place.gradient);
  }
  return found;
}

TEST(BucketLayout, PutsTheLastGradientsInTheFirstBucket) {
  const std::vector<GradientSize> gradients{{100}, {10}, {20}, {30}};
  EXPECT_THAT(gradients_by_bucket(lay_out(gradients, 4 * 50)),
              ElementsAre(ElementsAre(3U, 2U), ElementsAre(1U), ElementsAre(0U)));
}

TEST(BucketLayout, LetsAGradientThatIsLargerThanABucketHaveOneOfItsOwn) {
  const std::vector<GradientSize> gradients{{5}, {1000}, {5}};
  EXPECT_THAT(gradients_by_bucket(lay_out(gradients, 64)),
              ElementsAre(ElementsAre(2U), ElementsAre(1U), ElementsAre(0U)));
}

TEST(BucketLayout, MixesNoTypes) {
  const std::vector<GradientSize> gradients{
      {1, exec::ElementType::kFloat32}, {2, exec::ElementType::kFloat64}, {3, exec::ElementType::kFloat32}};
  const std::vector<BucketLayout> buckets = lay_out(gradients, 1 << 20);
  EXPECT_THAT(gradients_by_bucket(buckets), ElementsAre(ElementsAre(2U, 0U), ElementsAre(1U)));
  EXPECT_EQ(buckets[1].type, exec::ElementType::kFloat64);
}

TEST(BucketLayout, HasNothingForNoGradients) { EXPECT_TRUE(lay_out({}, 64).empty()); }

RC_GTEST_PROP(BucketLayout, HoldsEveryGradientOnceWithoutGaps,
              (const std::vector<std::uint8_t>& sizes, std::uint16_t bytes)) {
  std::vector<GradientSize> gradients;
  for (const std::uint8_t size : sizes) {
    gradients.push_back({size, size % 2 == 0 ? exec::ElementType::kFloat32 : exec::ElementType::kFloat64});
  }
  std::vector<int> seen(gradients.size());
  for (const BucketLayout& bucket : lay_out(gradients, bytes)) {
    std::int64_t next = 0;
    for (const GradientPlace& place : bucket.places) {
      ++seen[place.gradient];
      RC_ASSERT(place.first == next);
      RC_ASSERT(place.count == gradients[place.gradient].elements);
      RC_ASSERT(bucket.type == gradients[place.gradient].type);
      next += place.count;
    }
    RC_ASSERT(bucket.elements == next);
    RC_ASSERT(bucket.places.size() == 1 || bucket.elements * exec::size_of(bucket.type) <= bytes);
  }
  RC_ASSERT(seen == std::vector<int>(gradients.size(), 1));
}

}  // namespace
}  // namespace trireme::rounds
