#include "plan/count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <ostream>

#include "plan/any_spec_test_util.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

// The numbers that both a count and a closed form give.
struct Numbers {
  std::int64_t messages, elements, min, max, steps;

  friend bool operator==(const Numbers&, const Numbers&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Numbers& n) {
    return out << fmt::format("{} messages, {} elements, sizes {} to {}, {} steps", n.messages, n.elements,
                              n.min, n.max, n.steps);
  }
};

Numbers counted(const PlanSpec& spec) {
  const Tally tally = count(make_plan(spec));
  return {tally.messages, tally.elements, tally.min_message_elements, tally.max_message_elements,
          tally.steps};
}

Numbers by_formula(const PlanSpec& spec) {
  const ClosedForm form = closed_form(spec);
  return {form.messages, form.elements, form.min_message_elements, form.max_message_elements, form.steps};
}

TEST(Count, EqualsTheClosedFormForEveryStrategyUpToSeventeenWorkers) {
  for (std::int32_t n = 1; n <= 17; ++n) {
    for (const std::int64_t p : {0, 1, 2, 3, n - 1, n, n + 1, 2 * n - 1, 31, 97, 1009}) {
      for (PlanSpec spec : every_kind(n, p)) {
        ASSERT_EQ(counted(spec), by_formula(spec)) << in_words(spec);
        if (!follows_ring_order(spec.strategy)) continue;
        spec.order = shuffled_order(n, static_cast<std::uint32_t>(p));
        ASSERT_EQ(counted(spec), by_formula(spec)) << in_words(spec);
      }
    }
  }
}

TEST(Count, EqualsTheClosedFormForEveryOperationUpToSeventeenWorkers) {
  for (std::int32_t n = 1; n <= 17; ++n) {
    for (const std::int64_t p : {0, 1, 2, 3, n - 1, n, n + 1, 2 * n - 1, 97, 1000, 1001}) {
      for (PlanSpec spec : every_operation(n, p)) {
        ASSERT_EQ(counted(spec), by_formula(spec)) << in_words(spec);
        if (!follows_ring_order(spec.operation, spec.strategy)) continue;
        spec.order = shuffled_order(n, static_cast<std::uint32_t>(p));
        ASSERT_EQ(counted(spec), by_formula(spec)) << in_words(spec);
      }
    }
  }
}

RC_GTEST_PROP(Count, OfAnOperationEqualsTheClosedFormForManyWorkers, ()) {
  const PlanSpec spec = any_operation(200);
  RC_ASSERT(counted(spec) == by_formula(spec));
}

TEST(Count, OfAnOperationIsWhatOneGetsByHand) {
  // 10 over 4: chunks of 2, 3, 2, 3.
  const auto of = [](Operation operation, Strategy strategy, Rank root) {
    return counted(operation_of(operation, strategy, 4, 10, root));
  };
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kTree, 1), (Numbers{3, 30, 10, 10, 2}));
  // Three chunks from the root; then three of them go to two others, and the root's to three.
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kDirect, 1), (Numbers{12, 30, 2, 3, 2}));
  EXPECT_EQ(of(Operation::kGather, Strategy::kDirect, 1), (Numbers{3, 7, 2, 3, 1}));
  // 0 to 1 and 3 to 2, then 2 to 1 with the chunks of two.
  EXPECT_EQ(of(Operation::kGather, Strategy::kTree, 1), (Numbers{3, 2 + 3 + 5, 2, 5, 2}));
  EXPECT_EQ(of(Operation::kScatter, Strategy::kTree, 1), (Numbers{3, 10, 2, 5, 2}));
  EXPECT_EQ(of(Operation::kAllGather, Strategy::kDirect, 0), (Numbers{12, 30, 2, 3, 1}));
  EXPECT_EQ(of(Operation::kAllGather, Strategy::kRing, 0), (Numbers{12, 30, 2, 3, 3}));
  EXPECT_EQ(of(Operation::kReduceScatter, Strategy::kDirect, 0), (Numbers{12, 30, 2, 3, 1}));
  EXPECT_EQ(of(Operation::kReduceScatter, Strategy::kRing, 0), (Numbers{16, 40, 2, 3, 4}));
  EXPECT_EQ(of(Operation::kAllToAll, Strategy::kDirect, 0), (Numbers{12, 30, 2, 3, 1}));
}

TEST(Count, EqualsTheClosedFormWithSharesCutAtVariables) {
  for (const std::int64_t p : {1, 5, 100, 1000, 4999}) {
    for (std::int32_t s = 1; s <= 6; ++s) {
      PlanSpec spec = with_servers(3, p, s);
      for (std::int64_t at = 0; at <= p; at += 1 + p / 41) spec.variable_borders.push_back(at);
      EXPECT_EQ(counted(spec), by_formula(spec)) << in_words(spec);
      const PlanSpec few = with_whole_variables(with_servers(3, p, s), {p / 7, p / 5});
      EXPECT_EQ(counted(few), by_formula(few)) << in_words(few);
    }
  }
}

RC_GTEST_PROP(Count, EqualsTheClosedFormForManyWorkers, ()) {
  const PlanSpec spec = any_spec(200);
  RC_ASSERT(counted(spec) == by_formula(spec));
}

// Calculated by hand. The numbers are messages, elements, smallest, largest, steps.
TEST(Count, IsWhatOneGetsByHand) {
  // 10 over 4: chunks of 2, 3, 2, 3; each is sent six times.
  EXPECT_EQ(counted(spec_of(Strategy::kRing, 4, 10)), (Numbers{24, 60, 2, 3, 6}));
  // Only two chunks have an element, one each; a chunk still needs six hops.
  EXPECT_EQ(counted(spec_of(Strategy::kRing, 4, 2)), (Numbers{12, 12, 1, 1, 6}));
  EXPECT_EQ(counted(spec_of(Strategy::kDirect, 4, 10)), (Numbers{24, 60, 2, 3, 2}));
  EXPECT_EQ(counted(spec_of(Strategy::kAllToAll, 5, 10)), (Numbers{20, 200, 10, 10, 1}));
  // Up a tree of five: 1→0 and 3→2, then 2→0, then 4→0; then down again.
  EXPECT_EQ(counted(spec_of(Strategy::kTree, 5, 10)), (Numbers{8, 80, 10, 10, 6}));
  // 0 hands over to 1; 1 to 4 double twice, four messages each time; 1 hands back.
  EXPECT_EQ(counted(spec_of(Strategy::kRecursiveDoubling, 5, 10)), (Numbers{10, 100, 10, 10, 4}));
  // Halves of 5 (eight messages there and back), quarters of 2, 3, 2, 3 (eight), 10 over and 10 back.
  EXPECT_EQ(counted(spec_of(Strategy::kHalvingDoubling, 5, 10)), (Numbers{18, 80, 2, 10, 6}));
  // Three shares of 3, 3 and 4 for two workers, both ways.
  EXPECT_EQ(counted(with_servers(2, 10, 3)), (Numbers{12, 40, 3, 4, 2}));
  EXPECT_EQ(counted(with_shares(4, 10, 3)), (Numbers{18, 60, 3, 4, 2}));
  // Inside both hosts each of three workers sends two parts (of 3 or 4) and gets as many back: 24 messages.
  // Between the two hosts six chunks (1, 2, 2, 1, 2, 2) go there and back: 12 messages.
  EXPECT_EQ(counted(on_hosts(2, 3, 10)), (Numbers{36, 100, 1, 4, 4}));
}

TEST(Count, NothingIsSentWhenThereIsNothingOrNobodyElse) {
  EXPECT_EQ(counted(spec_of(Strategy::kRing, 4, 0)), (Numbers{0, 0, 0, 0, 0}));
  EXPECT_EQ(counted(spec_of(Strategy::kAllToAll, 1, 10)), (Numbers{0, 0, 0, 0, 0}));
  EXPECT_EQ(counted(with_servers(3, 0, 2)), (Numbers{0, 0, 0, 0, 0}));
}

TEST(Count, TellsWhatEachNodeSendsAndReceives) {
  const Tally tally = count(make_plan(with_servers(3, 10, 1)));
  ASSERT_EQ(tally.nodes.size(), 4U);
  EXPECT_EQ(tally.nodes[0], (NodeTally{1, 10, 1, 10, 10, 10}));
  EXPECT_EQ(tally.nodes[3], (NodeTally{3, 30, 3, 30, 10, 10}));
  EXPECT_EQ(tally.busiest, 3);
}

TEST(Count, OfANodeSaysItsSmallestAndLargestMessage) {
  EXPECT_EQ(count(make_program(spec_of(Strategy::kHalvingDoubling, 4, 10), 0)),
            (NodeTally{4, 15, 4, 15, 2, 5}));  // sends 5, 3, 2, 5; receives 5, 2, 3, 5
  EXPECT_EQ(count(Program{}), NodeTally{});
}

TEST(Count, TheSmallestAndLargestMessagesMayBeAnybodys) {
  HandMade made(spec_of(Strategy::kTree, 4, 10));
  made.message(0, 0, 1, {0, 5}, Action::kAdd)
      .message(0, 2, 3, {0, 9}, Action::kAdd)
      .message(1, 3, 2, {0, 2}, Action::kAdd);
  const Tally tally = count(made.plan());
  EXPECT_EQ(tally.min_message_elements, 2);
  EXPECT_EQ(tally.max_message_elements, 9);
  EXPECT_EQ(tally.busiest, 2);
}

TEST(Count, TheBusiestOfEqualsIsTheLowestRank) {
  EXPECT_EQ(count(make_plan(spec_of(Strategy::kAllToAll, 4, 8))).busiest, 0);
  EXPECT_EQ(count(make_plan(spec_of(Strategy::kTree, 4, 8))).busiest, 0);
  EXPECT_EQ(count(make_plan(spec_of(Strategy::kRecursiveDoubling, 3, 8))).busiest, 1);
}

// The steps are those of the longest path, not the highest step number.
TEST(Count, StepsOnDifferentPathsAreNotAddedUp) {
  HandMade apart(spec_of(Strategy::kTree, 4, 1));
  apart.message(0, 0, 1, {0, 1}, Action::kAdd).message(7, 2, 3, {0, 1}, Action::kAdd);
  EXPECT_EQ(count(apart.plan()).steps, 1);
  HandMade chained(spec_of(Strategy::kTree, 4, 1));
  chained.message(0, 0, 1, {0, 1}, Action::kAdd).message(7, 1, 2, {0, 1}, Action::kAdd);
  EXPECT_EQ(count(chained.plan()).steps, 2);
}

RC_GTEST_PROP(Count, EverythingSentIsReceived, ()) {
  const Tally tally = count(make_plan(any_spec(60)));
  std::int64_t messages = 0;
  std::int64_t elements = 0;
  for (const NodeTally& node : tally.nodes) {
    messages += node.received_messages;
    elements += node.received_elements;
  }
  RC_ASSERT(messages == tally.messages);
  RC_ASSERT(elements == tally.elements);
}

TEST(ClosedForm, FormulasAreThoseOfTheDesign) {
  EXPECT_EQ(closed_form(spec_of(Strategy::kAllToAll, 4, 8)).messages_formula, "n(n−1)");
  EXPECT_EQ(closed_form(with_servers(4, 8, 1)).messages_formula, "2n");
  EXPECT_EQ(closed_form(with_servers(4, 8, 2)).messages_formula, "2ns");
  EXPECT_EQ(closed_form(with_shares(4, 8, 2)).messages_formula, "2s(n−1)");
  EXPECT_EQ(closed_form(with_whole_variables(with_servers(4, 8, 3), {7})).messages_formula,
            "2nt, t shares with variables");
  EXPECT_EQ(closed_form(spec_of(Strategy::kRing, 4, 8)).messages_formula, "2n(n−1)");
  EXPECT_EQ(closed_form(spec_of(Strategy::kDirect, 4, 3)).messages_formula, "2(n−1)·min(n, p)");
  EXPECT_EQ(closed_form(spec_of(Strategy::kRing, 4, 8)).message_elements_formula, "p/n");
}

TEST(ClosedForm, FormulasOfOperationsAreThoseOfTheDesign) {
  const auto of = [](Operation operation, Strategy strategy, std::int32_t n, std::int64_t p) {
    const ClosedForm form = closed_form(operation_of(operation, strategy, n, p));
    return fmt::format("{} | {} | {} | {}", form.messages_formula, form.message_elements_formula,
                       form.elements_formula, form.steps_formula);
  };
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kTree, 8, 10), "n−1 | p | (n−1)p | ⌈lg n⌉");
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kDirect, 8, 10), "n(n−1) | p/n | (n−1)p | 2");
  EXPECT_EQ(of(Operation::kGather, Strategy::kDirect, 8, 16), "n−1 | p/n | (n−1)p/n | 1");
  EXPECT_EQ(of(Operation::kScatter, Strategy::kDirect, 8, 17), "n−1 | p/n | p − the root's chunk | 1");
  EXPECT_EQ(of(Operation::kGather, Strategy::kTree, 8, 16), "n−1 | p/n, 2p/n, 4p/n, … | p/2·lg n | ⌈lg n⌉");
  EXPECT_EQ(of(Operation::kScatter, Strategy::kTree, 7, 16),
            "n−1 | p/n, 2p/n, 4p/n, … | Σ chunk k · its hops to the root | ⌈lg n⌉");
  EXPECT_EQ(of(Operation::kAllGather, Strategy::kRing, 8, 16), "n(n−1) | p/n | (n−1)p | n−1");
  EXPECT_EQ(of(Operation::kReduceScatter, Strategy::kRing, 8, 16), "n² | p/n | np | n");
  EXPECT_EQ(of(Operation::kAllToAll, Strategy::kDirect, 8, 3), "(n−1)·min(n, p) | ⌈p/n⌉ | (n−1)p | 1");
}

TEST(ClosedForm, OfAGatherByTreeIsTheFormulaWhereItHasOne) {
  for (const std::int32_t lg : {1, 2, 3, 4, 10}) {
    for (const Rank root : {0, 1, (1 << lg) - 1}) {
      const std::int64_t p = std::int64_t{6} << lg;
      EXPECT_EQ(closed_form(operation_of(Operation::kGather, Strategy::kTree, 1 << lg, p, root)).elements,
                p / 2 * lg);
    }
  }
}

TEST(ClosedForm, SaturatesInsteadOfOverflowing) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int32_t n : {2, 3, 1'000'000}) {
    for (const Strategy strategy : all_strategies()) {
      PlanSpec spec = spec_of(strategy, n, kMost);
      spec.shares_on_workers = strategy == Strategy::kParameterServer ? 2 : 0;
      const ClosedForm form = closed_form(spec);
      EXPECT_EQ(form.elements, kMost) << in_words(spec);
      EXPECT_GT(form.messages, 0) << in_words(spec);
      EXPECT_GT(form.min_message_elements, 0) << in_words(spec);
      EXPECT_GE(form.max_message_elements, form.min_message_elements) << in_words(spec);
      EXPECT_LE(form.max_message_elements - form.min_message_elements, kMost - 1);
    }
  }
}

}  // namespace
}  // namespace trireme::plan
