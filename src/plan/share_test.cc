#include "plan/share.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

PlanSpec with_borders(std::int64_t p, std::int32_t servers, std::vector<std::int64_t> borders) {
  PlanSpec spec = with_servers(2, p, servers);
  spec.variable_borders = std::move(borders);
  return spec;
}

std::int64_t border(const PlanSpec& spec, std::int32_t j) { return share(spec, j).first; }

TEST(Share, IsAnEvenPartWithoutVariables) {
  const PlanSpec spec = with_servers(2, 10, 4);
  EXPECT_EQ(share(spec, 0), (Slice{0, 2}));
  EXPECT_EQ(share(spec, 1), (Slice{2, 3}));
  EXPECT_EQ(share(spec, 2), (Slice{5, 2}));
  EXPECT_EQ(share(spec, 3), (Slice{7, 3}));
}

TEST(Share, OfOneServerIsEverything) {
  EXPECT_EQ(share(with_servers(3, 7, 1), 0), (Slice{0, 7}));
  EXPECT_EQ(share(with_borders(1000, 1, {3, 500, 997}), 0), (Slice{0, 1000}));
}

// p/s = 500, so a border moves by at most 5.
TEST(Share, MovesToAVariableWithinOnePercentAndNotFurther) {
  EXPECT_EQ(border(with_borders(1000, 2, {505}), 1), 505);
  EXPECT_EQ(border(with_borders(1000, 2, {495}), 1), 495);
  EXPECT_EQ(border(with_borders(1000, 2, {506}), 1), 500);
  EXPECT_EQ(border(with_borders(1000, 2, {494}), 1), 500);
}

// p/s = 500.5: the border is 500.5, and one hundredth of a share is 5.005.
TEST(Share, MeasuresFromTheExactBorderNotTheRoundedOne) {
  EXPECT_EQ(border(with_borders(1001, 2, {505}), 1), 505);
  EXPECT_EQ(border(with_borders(1001, 2, {506}), 1), 500) << "5.5 away";
  EXPECT_EQ(border(with_borders(1001, 2, {496}), 1), 496);
  EXPECT_EQ(border(with_borders(1001, 2, {495}), 1), 500) << "5.5 away";
}

TEST(Share, TakesTheNearestOfSeveralVariables) {
  EXPECT_EQ(border(with_borders(1000, 2, {496, 498, 503, 505}), 1), 498);
  EXPECT_EQ(border(with_borders(1000, 2, {496, 502, 505}), 1), 502);
  EXPECT_EQ(border(with_borders(1000, 2, {497, 500, 501}), 1), 500);
  EXPECT_EQ(border(with_borders(1000, 2, {498, 502}), 1), 498) << "of two at one distance the lower";
}

TEST(Share, EachBorderMovesByItself) {
  const PlanSpec spec = with_borders(1000, 4, {248, 520, 752});
  EXPECT_EQ(share(spec, 0), (Slice{0, 248}));
  EXPECT_EQ(share(spec, 1), (Slice{248, 252}));
  EXPECT_EQ(share(spec, 2), (Slice{500, 252}));
  EXPECT_EQ(share(spec, 3), (Slice{752, 248}));
}

TEST(Share, LeavesTheEndsOfTheBufferWhereTheyAre) {
  const PlanSpec spec = with_borders(1000, 2, {1, 999});
  EXPECT_EQ(share(spec, 0).first, 0);
  EXPECT_EQ(share(spec, 1).end(), 1000);
}

TEST(Share, OnWorkersIsCutAsOnServers) {
  PlanSpec spec = with_shares(5, 1000, 2);
  spec.variable_borders = {505};
  EXPECT_EQ(share(spec, 0), (Slice{0, 505}));
  EXPECT_EQ(share(spec, 1), (Slice{505, 495}));
}

std::int64_t whole_border(std::int64_t p, std::int32_t servers, std::vector<std::int64_t> borders,
                          std::int32_t j) {
  return border(with_whole_variables(with_servers(2, p, servers), std::move(borders)), j);
}

TEST(Share, OfWholeVariablesBeginsAtTheNearestOneHoweverFar) {
  EXPECT_EQ(whole_border(1000, 2, {300, 900}, 1), 300);
  EXPECT_EQ(whole_border(1000, 2, {90, 900}, 1), 900);
  EXPECT_EQ(whole_border(1000, 2, {400, 600}, 1), 400) << "of two at one distance the lower";
  EXPECT_EQ(whole_border(1001, 2, {400, 601}, 1), 400) << "100.5 and 100.5 from 500.5";
  EXPECT_EQ(whole_border(1001, 2, {399, 601}, 1), 601) << "101.5 and 100.5 from 500.5";
}

TEST(Share, IsEmptyWhereThereAreFewerWholeVariables) {
  const PlanSpec spec = with_whole_variables(with_servers(2, 1000, 4), {990});
  EXPECT_EQ(share(spec, 0), (Slice{0, 0}));
  EXPECT_EQ(share(spec, 1), (Slice{0, 990}));
  EXPECT_EQ(share(spec, 2), (Slice{990, 0}));
  EXPECT_EQ(share(spec, 3), (Slice{990, 10}));
  EXPECT_EQ(filled_shares(spec), 2);
  const PlanSpec one = with_whole_variables(with_servers(2, 9, 2), {});
  EXPECT_EQ(share(one, 0), (Slice{0, 0})) << "at one distance the lower";
  EXPECT_EQ(share(one, 1), (Slice{0, 9}));
}

TEST(Share, DoesNotOverflowForTheLargestBuffer) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t middle = kMost / 2;
  EXPECT_EQ(border(with_borders(kMost, 2, {middle + kMost / 200}), 1), middle + kMost / 200);
  EXPECT_EQ(border(with_borders(kMost, 2, {middle + kMost / 199}), 1), middle);
}

TEST(ShareHolder, IsTheServerOfThatNumber) {
  const PlanSpec spec = with_servers(5, 100, 3);
  EXPECT_EQ(share_count(spec), 3);
  for (std::int32_t j = 0; j < 3; ++j) EXPECT_EQ(share_holder(spec, j), 5 + j);
  for (Rank worker = 0; worker < 5; ++worker) EXPECT_EQ(share_held_by(spec, worker), -1);
}

TEST(ShareHolder, IsSpreadOverTheRing) {
  PlanSpec spec = with_shares(6, 100, 3);
  EXPECT_EQ(share_holder(spec, 0), 0);
  EXPECT_EQ(share_holder(spec, 1), 2);
  EXPECT_EQ(share_holder(spec, 2), 4);
  spec.order = RingOrder({5, 4, 3, 2, 1, 0});
  EXPECT_EQ(share_holder(spec, 0), 5);
  EXPECT_EQ(share_holder(spec, 1), 3);
  EXPECT_EQ(share_holder(spec, 2), 1);
}

// Any number of servers, and variables anywhere.
PlanSpec any_spec() {
  const auto s = *rc::gen::inRange<std::int32_t>(1, 40);
  const auto p = *rc::gen::inRange<std::int64_t>(0, *rc::gen::element<std::int64_t>(50, 500, 100'000));
  auto borders = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, p + 1));
  // Random variables are seldom near a border, so put some there.
  for (std::int32_t j = 0; j <= s; ++j) {
    borders.push_back(std::clamp<std::int64_t>(chunk_border(j, p, s) + *rc::gen::inRange(-3, 4), 0, p));
  }
  std::sort(borders.begin(), borders.end());
  return with_borders(p, s, borders);
}

RC_GTEST_PROP(Share, TilesTheBufferAndIsNeverEmptyWhereThereIsEnough, ()) {
  const PlanSpec spec = any_spec();
  check(spec);
  std::int64_t end = 0;
  std::int32_t filled = 0;
  for (std::int32_t j = 0; j < spec.servers; ++j) {
    const Slice part = share(spec, j);
    RC_ASSERT(part.first == end);
    RC_ASSERT(part.count >= 0);
    filled += part.empty() ? 0 : 1;
    end = part.end();
  }
  RC_ASSERT(end == spec.parameters);
  RC_ASSERT(filled == std::min<std::int64_t>(spec.servers, spec.parameters));
}

RC_GTEST_PROP(Share, CutsNoVariableThatStaysWholeAndTakesTheNearestBorder, ()) {
  PlanSpec spec = any_spec();
  spec.whole_variables = true;
  check(spec);
  std::vector<std::int64_t> allowed = spec.variable_borders;
  allowed.insert(allowed.end(), {0, spec.parameters});
  std::int64_t end = 0;
  std::int64_t filled = 0;
  for (std::int32_t j = 0; j < spec.servers; ++j) {
    const Slice part = share(spec, j);
    RC_ASSERT(part.first == end);
    RC_ASSERT(part.count >= 0);
    filled += part.empty() ? 0 : 1;
    end = part.end();
    // Times s, so that all numbers are whole.
    const auto away = [&](std::int64_t v) { return std::abs(v * spec.servers - j * spec.parameters); };
    for (const std::int64_t v : allowed) RC_ASSERT(away(part.first) <= away(v));
    RC_ASSERT(std::find(allowed.begin(), allowed.end(), part.first) != allowed.end());
  }
  RC_ASSERT(end == spec.parameters);
  RC_ASSERT(filled == filled_shares(spec));
}

// The rule of the design, checked against every variable.
RC_GTEST_PROP(Share, BeginsAtTheNearestVariableWithinOnePercentElseAtTheEvenBorder, ()) {
  const PlanSpec spec = any_spec();
  if (spec.parameters / spec.servers < 2) return;  // one hundredth of that is less than one element
  for (std::int32_t j = 1; j < spec.servers; ++j) {
    const double exact = static_cast<double>(j) * static_cast<double>(spec.parameters) / spec.servers;
    const double reach = static_cast<double>(spec.parameters) / spec.servers / 100;
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::int64_t v : spec.variable_borders) {
      nearest = std::min(nearest, std::abs(static_cast<double>(v) - exact));
    }
    if (std::abs(nearest - reach) < 1e-6) continue;  // too close for doubles to decide
    const std::int64_t begin = share(spec, j).first;
    if (nearest < reach) {
      RC_ASSERT(std::abs(std::abs(static_cast<double>(begin) - exact) - nearest) < 1e-6);
      RC_ASSERT(std::binary_search(spec.variable_borders.begin(), spec.variable_borders.end(), begin));
    } else {
      RC_ASSERT(begin == j * spec.parameters / spec.servers);
    }
  }
}

RC_GTEST_PROP(ShareHeldBy, IsTheInverseOfShareHolder, ()) {
  const auto n = *rc::gen::inRange<std::int32_t>(1, 300);
  const bool dedicated = *rc::gen::arbitrary<bool>();
  PlanSpec spec = dedicated ? with_servers(n, 1000, *rc::gen::inRange(1, 50))
                            : with_shares(n, 1000, *rc::gen::inRange(1, n + 1));
  spec.order = shuffled_order(n, *rc::gen::arbitrary<std::uint32_t>());
  std::int32_t holders = 0;
  for (Rank node = 0; node < spec.nodes(); ++node) {
    const std::int32_t j = share_held_by(spec, node);
    if (j < 0) continue;
    RC_ASSERT(j < share_count(spec));
    RC_ASSERT(share_holder(spec, j) == node);
    ++holders;
  }
  RC_ASSERT(holders == share_count(spec));
}

}  // namespace
}  // namespace trireme::plan
