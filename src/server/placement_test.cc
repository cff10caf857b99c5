#include "server/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "plan/share.h"
#include "server/notes.h"

namespace trireme::server {
namespace {

using testing::ElementsAre;

rounds::BucketLayout bucket_of(const std::vector<std::int64_t>& variables) {
  rounds::BucketLayout bucket;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    bucket.places.push_back({.gradient = i, .first = bucket.elements, .count = variables[i]});
    bucket.elements += variables[i];
  }
  return bucket;
}

Placement place_all(const std::vector<std::int64_t>& variables, std::int32_t servers, bool whole = false) {
  return place(bucket_of(variables), servers, whole);
}

std::vector<std::int64_t> sizes_of(const Placement& placement) {
  std::vector<std::int64_t> sizes;
  for (const Share& share : placement.shares) sizes.push_back(share.elements);
  return sizes;
}

TEST(APlacement, CutsALargeVariableIntoEvenShares) {
  const Placement placement = place_all({100}, 2);
  EXPECT_THAT(sizes_of(placement), ElementsAre(50, 50));
  const SharePart& part = placement.shares[1].parts.at(0);
  EXPECT_EQ(part.variable, 0);
  EXPECT_EQ(part.first, 50);
  EXPECT_EQ(part.place, 0);
  EXPECT_EQ(part.count, 50);
  EXPECT_FALSE(part.is_whole);
}

TEST(APlacement, HasItsBordersAtThoseOfVariablesThatAreNear) {
  EXPECT_THAT(sizes_of(place_all({1005, 995}, 2)), ElementsAre(1005, 995));
  EXPECT_THAT(sizes_of(place_all({1100, 900}, 2)), ElementsAre(1000, 1000));
}

TEST(APlacement, CutsNoVariableThatMustStayWhole) {
  const Placement placement = place_all({1100, 900}, 2, /*whole=*/true);
  EXPECT_THAT(sizes_of(placement), ElementsAre(1100, 900));
  EXPECT_TRUE(placement.shares[0].parts.at(0).is_whole);
}

TEST(APlacement, HasEmptySharesWhereThereAreFewerWholeVariablesThanServers) {
  const Placement placement = place_all({3, 100}, 4, /*whole=*/true);
  EXPECT_EQ(std::ranges::count_if(placement.shares, &Share::empty), 2);
  EXPECT_EQ(placement.shares[idx(placement.busiest())].elements, 100);
  EXPECT_FALSE(placement.shares[idx(placement.dispenser)].empty());
}

TEST(APlacement, HasNumbersHandedOutByTheFirstServerThatHasAShare) {
  const Placement placement = place_all({100}, 3, /*whole=*/true);
  EXPECT_TRUE(placement.shares[0].empty());
  EXPECT_EQ(sizes_of(placement)[idx(placement.dispenser)], 100);
  EXPECT_EQ(placement.dispenser, placement.busiest());
  EXPECT_EQ(place_all({100}, 3).dispenser, 0);
}

TEST(APlacement, NamesTheVariablesAsTheyWereRegisteredAndNotAsTheyLie) {
  rounds::BucketLayout bucket;
  bucket.elements = 30;
  bucket.places = {{.gradient = 2, .first = 0, .count = 10}, {.gradient = 0, .first = 10, .count = 20}};
  const Placement placement = place(bucket, 1, false);
  ASSERT_EQ(placement.shares[0].parts.size(), 2);
  EXPECT_EQ(placement.shares[0].parts[0].variable, 2);
  EXPECT_EQ(placement.shares[0].parts[1].variable, 0);
  EXPECT_EQ(placement.shares[0].parts[1].place, 10);
}

RC_GTEST_PROP(APlacement, HoldsEveryElementOnceAndWithoutGaps, ()) {
  const auto variables = *rc::gen::container<std::vector<std::int64_t>>(
      *rc::gen::inRange<std::size_t>(1, 12), rc::gen::element<std::int64_t>(1, 2, 3, 64, 999, 1000));
  const std::int32_t servers = *rc::gen::inRange(1, 9);
  const bool whole = *rc::gen::arbitrary<bool>();
  const Placement placement = place_all(variables, servers, whole);
  RC_ASSERT(std::ssize(placement.shares) == servers);
  std::map<std::size_t, std::int64_t> seen;  // by variable: up to this element
  for (std::int32_t j = 0; j < servers; ++j) {
    const Share& share = placement.shares[idx(j)];
    RC_ASSERT(share.elements == plan::share(placement.update, j).count);
    std::int64_t place = 0;
    for (const SharePart& part : share.parts) {
      RC_ASSERT(part.count > 0);
      RC_ASSERT(part.place == place);
      RC_ASSERT(part.first == seen[part.variable]);
      RC_ASSERT(part.is_whole == (part.count == variables[part.variable]));
      RC_ASSERT(part.is_whole || !whole);
      seen[part.variable] += part.count;
      place += part.count;
    }
    RC_ASSERT(place == share.elements);
    RC_ASSERT(share.elements <= placement.shares[idx(placement.busiest())].elements);
    if (j < placement.dispenser) RC_ASSERT(share.empty());
  }
  for (std::size_t i = 0; i < variables.size(); ++i) RC_ASSERT(seen[i] == variables[i]);
  RC_ASSERT(!placement.shares[idx(placement.dispenser)].empty());
}

TEST(ANote, TakesWholeCacheLinesWithTheBitsOfItsParts) {
  EXPECT_EQ(note_bytes(0), 64);
  EXPECT_EQ(note_bytes(1), 128);
  EXPECT_EQ(note_bytes(512), 128);
  EXPECT_EQ(note_bytes(513), 192);
}

}  // namespace
}  // namespace trireme::server
