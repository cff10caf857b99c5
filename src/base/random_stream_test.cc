#include "base/random_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace trireme {
namespace {

// From kat_vectors of Random123 1.14.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// fnv1a("") is 0x811c9dc5, fnv1a("foobar") is 0xbf9cf968: the published answers.
TEST(RandomStream, IsDerivedAsItsHeaderSays) {
  for (const auto& [purpose, hash] : {std::pair("", 0x811c9dc5U), std::pair("foobar", 0xbf9cf968U)}) {
    const PhiloxBlock name = philox({7, 1, 5, hash}, {0x89abcdef, 0x01234567});
    RandomStream stream(0x0123456789abcdef, purpose, 5, (std::int64_t{1} << 32) + 7);
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (const std::uint32_t word : philox({i, 0, name[2], name[3]}, {name[0], name[1]})) {
        EXPECT_EQ(stream.next_32(), word);
      }
    }
  }
}

// The numbers come from a second implementation, in Python.
TEST(RandomStream, IsTheSameBitsEverywhere) {
  RandomStream stream(1, "data-order");
  EXPECT_EQ(stream.next_32(), 3937086511U);
  EXPECT_EQ(stream.next_64(), 9675535017093981168U);
  EXPECT_EQ(stream.uniform(), 0x1.537bb6412da8ep-1);
  EXPECT_EQ(stream.below(1000), 901U);
  EXPECT_EQ(stream.normal(), 0x1.0adabbb901e01p+0);
  EXPECT_EQ(stream.normal(), -0x1.c042426c35c2fp-1);
  EXPECT_EQ(permutation(10, stream), (std::vector<std::int64_t>{7, 1, 9, 0, 3, 6, 4, 8, 2, 5}));
}

std::vector<std::uint64_t> begin_of(RandomStream stream) {
  return {stream.next_64(), stream.next_64(), stream.next_64()};
}

TEST(RandomStream, IsTheSameForTheSameNames) {
  EXPECT_EQ(begin_of(RandomStream(3, "dropout", 2, 9)), begin_of(RandomStream(3, "dropout", 2, 9)));
}

TEST(RandomStream, IsAnotherForAnyOtherName) {
  std::set<std::vector<std::uint64_t>> streams;
  std::size_t count = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32, ~0ULL}) {
    for (const char* purpose : {"dropout", "data-order", ""}) {
      for (const Rank rank : {0, 1, 1000}) {
        for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40}) {
          streams.insert(begin_of(RandomStream(seed, purpose, rank, step)));
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(streams.size(), count);
}

TEST(RandomStream, GoesOnAlikeInACopy) {
  RandomStream stream(1, "copy");
  (void)stream.next_32();
  (void)stream.normal();  // one of a pair
  RandomStream copy = stream;
  EXPECT_EQ(copy.normal(), stream.normal());
  EXPECT_EQ(copy.next_64(), stream.next_64());
}

TEST(RandomStream, GivesTheLowWordOfTwoFirst) {
  RandomStream words(1, "words");
  RandomStream pairs = words;
  const std::uint64_t low = words.next_32();
  EXPECT_EQ(pairs.next_64(), low | std::uint64_t{words.next_32()} << 32);
}

TEST(RandomStream, IsUniformFromZeroUpToButNotOne) {
  RandomStream stream(1, "uniform");
  constexpr int kDraws = 100'000;
  double sum = 0;
  double least = 1;
  double most = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = stream.uniform();
    sum += drawn;
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.001);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.999);
  EXPECT_NEAR(sum / kDraws, 0.5, 0.004);  // four standard deviations
}

TEST(RandomStream, BelowOneIsZero) { EXPECT_EQ(RandomStream(1, "below").below(1), 0U); }

TEST(RandomStream, BelowGivesEachNumberAsOften) {
  RandomStream stream(1, "below");
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[stream.below(counts.size())];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);  // four standard deviations
}

RC_GTEST_PROP(RandomStream, BelowStaysBelow, (std::uint64_t seed, std::uint64_t n)) {
  RC_PRE(n > 0);
  RandomStream stream(seed, "below");
  for (int i = 0; i < 20; ++i) RC_ASSERT(stream.below(n) < n);
}

// With n = 3·2⁶² a multiplication alone would give every third number twice as often as the others.
TEST(RandomStream, BelowDoesNotFavourAnyOfManyNumbers) {
  RandomStream stream(1, "below");
  constexpr std::uint64_t kThird = std::uint64_t{1} << 62;
  std::vector<int> remainders(3);
  for (int i = 0; i < 30'000; ++i) ++remainders[stream.below(3 * kThird) % 3];
  for (const int count : remainders) EXPECT_NEAR(count, 10'000, 330);
}

TEST(RandomStream, NormalHasTheMomentsOfTheBellCurve) {
  RandomStream stream(1, "normal");
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = stream.normal();
    sum += drawn;
    squares += drawn * drawn;
    fourths += drawn * drawn * drawn * drawn;
    beyond_two += std::abs(drawn) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.009);
  EXPECT_NEAR(squares / kDraws, 1, 0.013);
  EXPECT_NEAR(fourths / kDraws, 3, 0.09);
  EXPECT_NEAR(beyond_two / double{kDraws}, 0.0455, 0.002);
}

// The same formula with the standard library's logarithm: equal to a few last bits.
TEST(RandomStream, NormalFollowsMarsaglia) {
  RandomStream stream(1, "normal");
  RandomStream plain = stream;
  for (int i = 0; i < 10'000; ++i) {
    double x = 0;
    double y = 0;
    do {
      x = 2 * plain.uniform() - 1;
      y = 2 * plain.uniform() - 1;
    } while (x * x + y * y >= 1);
    const double square = x * x + y * y;
    const double factor = std::sqrt(-2 * std::log(square) / square);
    constexpr double kFewBits = 8 * std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(stream.normal() / (x * factor), 1, kFewBits);
    EXPECT_NEAR(stream.normal() / (y * factor), 1, kFewBits);
  }
}

RC_GTEST_PROP(Permutation, HoldsEachNumberOnce, (std::uint64_t seed)) {
  const auto n = *rc::gen::inRange<std::int64_t>(0, 500);
  RandomStream stream(seed, "permutation");
  std::vector<std::int64_t> order = permutation(n, stream);
  std::sort(order.begin(), order.end());
  RC_ASSERT(std::ssize(order) == n);
  for (std::int64_t i = 0; i < n; ++i) RC_ASSERT(order[idx(i)] == i);
}

TEST(Permutation, GivesEachOrderAsOften) {
  RandomStream stream(1, "permutation");
  std::map<std::vector<std::int64_t>, int> counts;
  for (int i = 0; i < 24'000; ++i) ++counts[permutation(4, stream)];
  EXPECT_EQ(counts.size(), 24U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 130);  // four standard deviations
}

}  // namespace
}  // namespace trireme
