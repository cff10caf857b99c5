#include "plan/slice.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <vector>

namespace trireme::plan {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::vector<std::int64_t> sizes(std::int64_t p, std::int64_t n) {
  std::vector<std::int64_t> result;
  for (std::int64_t k = 0; k < n; ++k) result.push_back(chunk(k, p, n).count);
  return result;
}

TEST(Chunk, SizesDifferByOneAtMostWhenTheyDoNotDivide) {
  EXPECT_EQ(sizes(10, 4), (std::vector<std::int64_t>{2, 3, 2, 3}));
  EXPECT_EQ(sizes(7, 3), (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(sizes(11, 5), (std::vector<std::int64_t>{2, 2, 2, 2, 3}));
  EXPECT_EQ(sizes(12, 4), (std::vector<std::int64_t>{3, 3, 3, 3}));
}

TEST(Chunk, BeginsAtTheRoundedDownBorder) {
  EXPECT_EQ(chunk(1, 10, 4), (Slice{2, 3}));
  EXPECT_EQ(chunk(2, 10, 4), (Slice{5, 2}));
  EXPECT_EQ(chunk(3, 10, 4), (Slice{7, 3}));
}

TEST(Chunk, SomeAreEmptyWithFewerElementsThanWorkers) {
  EXPECT_EQ(sizes(3, 4), (std::vector<std::int64_t>{0, 1, 1, 1}));
  EXPECT_EQ(sizes(2, 5), (std::vector<std::int64_t>{0, 0, 1, 0, 1}));
  EXPECT_EQ(sizes(1, 4), (std::vector<std::int64_t>{0, 0, 0, 1}));
}

TEST(Chunk, AllAreEmptyWithoutElements) {
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_TRUE(chunk(k, 0, 5).empty());
}

TEST(Chunk, DoesNotOverflowNearTheLargestNumber) {
  constexpr std::int64_t kNodes = 1'000'000;
  EXPECT_EQ(chunk_border(kNodes, kMost, kNodes), kMost);
  EXPECT_EQ(chunk(1, kMost, 2), (Slice{kMost / 2, kMost / 2 + 1}));
  // 2^63 − 1 = 3 · 3074457345618258602 + 1
  EXPECT_EQ(sizes(kMost, 3),
            (std::vector<std::int64_t>{3074457345618258602, 3074457345618258602, 3074457345618258603}));
  EXPECT_EQ(chunk_of(kMost - 1, kMost, kNodes), kNodes - 1);
  EXPECT_EQ(chunk_of(0, kMost, kNodes), 0);
}

TEST(Chunk, SeveralInARowAreOneRange) {
  EXPECT_EQ(chunks(1, 3, 10, 4), (Slice{2, 5}));
  EXPECT_EQ(chunks(0, 4, 10, 4), (Slice{0, 10}));
  EXPECT_TRUE(chunks(2, 2, 10, 4).empty());
}

TEST(Overlap, NeedsACommonElement) {
  EXPECT_TRUE(overlap({0, 5}, {4, 2}));
  EXPECT_TRUE(overlap({4, 2}, {0, 5}));
  EXPECT_TRUE(overlap({2, 1}, {0, 9}));
  EXPECT_FALSE(overlap({0, 4}, {4, 2}));
  EXPECT_FALSE(overlap({4, 2}, {0, 4}));
  EXPECT_FALSE(overlap({2, 0}, {0, 5})) << "an empty slice overlaps nothing";
  EXPECT_FALSE(overlap({0, 5}, {2, 0}));
}

std::int64_t any_parameters(std::int64_t least) {
  const auto wide = *rc::gen::element(std::int64_t{10}, std::int64_t{1000}, std::int64_t{1} << 40, kMost);
  return *rc::gen::inRange(least, wide);
}

RC_GTEST_PROP(Chunk, TilesTheBufferInNearlyEqualParts, ()) {
  const std::int64_t p = any_parameters(0);
  const auto n = *rc::gen::inRange<std::int64_t>(1, 300);
  std::int64_t end = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const Slice part = chunk(k, p, n);
    RC_ASSERT(part.first == end);
    RC_ASSERT(part.count == p / n || part.count == p / n + 1);
    end = part.end();
  }
  RC_ASSERT(end == p);
}

RC_GTEST_PROP(ChunkOf, FindsTheChunkThatHoldsAnElement, ()) {
  const std::int64_t p = any_parameters(1);
  const auto n = *rc::gen::inRange<std::int64_t>(1, 1'000'001);
  const auto e = *rc::gen::inRange<std::int64_t>(0, p);
  const std::int64_t k = chunk_of(e, p, n);
  RC_ASSERT(0 <= k && k < n);
  RC_ASSERT(chunk(k, p, n).first <= e);
  RC_ASSERT(e < chunk(k, p, n).end());
}

RC_GTEST_PROP(ChunkOf, IsTheInverseOfChunkAtBothOfItsEnds, ()) {
  const std::int64_t p = any_parameters(1);
  const auto n = *rc::gen::inRange<std::int64_t>(1, 1'000'001);
  const auto k = *rc::gen::inRange<std::int64_t>(0, n);
  const Slice part = chunk(k, p, n);
  if (part.empty()) return;
  RC_ASSERT(chunk_of(part.first, p, n) == k);
  RC_ASSERT(chunk_of(part.end() - 1, p, n) == k);
}

}  // namespace
}  // namespace trireme::plan
