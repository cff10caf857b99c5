#include "plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>

#include "base/error.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

using testing::HasSubstr;

std::string refusal(const PlanSpec& spec) {
  try {
    check(spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_THROW((void)make_plan(spec), Error) << "make_plan checks its spec";
    return error.what();
  }
  return "accepted";
}

PlanSpec with_borders(std::vector<std::int64_t> borders) {
  PlanSpec spec = with_servers(4, 100, 2);
  spec.variable_borders = std::move(borders);
  return spec;
}

TEST(Check, RefusesFewerThanOneWorker) {
  EXPECT_THAT(refusal(spec_of(Strategy::kRing, 0, 4)), HasSubstr("at least one worker, not 0"));
  EXPECT_THAT(refusal(spec_of(Strategy::kTree, -3, 4)), HasSubstr("at least one worker, not -3"));
}

TEST(Check, RefusesANegativeNumberOfParameters) {
  EXPECT_THAT(refusal(spec_of(Strategy::kRing, 4, -1)), HasSubstr("there cannot be -1 parameters"));
}

TEST(Check, RefusesAStrategyThatTheOperationDoesNotHave) {
  EXPECT_THAT(refusal(operation_of(Operation::kGather, Strategy::kHierarchical, 4, 8)),
              HasSubstr("gather has no strategy hierarchical; it has direct and tree"));
  EXPECT_THAT(refusal(operation_of(Operation::kAllToAll, Strategy::kRing, 4, 8)),
              HasSubstr("all-to-all has no strategy ring; it has direct"));
  for (const Operation operation : all_operations()) {
    const std::vector<Strategy> own = strategies_of(operation);
    for (const Strategy strategy : all_strategies()) {
      PlanSpec spec = operation_of(operation, strategy, 4, 8);
      spec.servers = strategy == Strategy::kParameterServer ? 1 : 0;
      const bool has = std::find(own.begin(), own.end(), strategy) != own.end();
      EXPECT_EQ(refusal(spec) == "accepted", has) << in_words(spec);
    }
  }
}

TEST(Check, RefusesARootThatIsNoWorker) {
  EXPECT_EQ(refusal(operation_of(Operation::kBroadcast, Strategy::kTree, 4, 8, 3)), "accepted");
  EXPECT_THAT(refusal(operation_of(Operation::kBroadcast, Strategy::kTree, 4, 8, 4)),
              HasSubstr("the root is rank 4, but there are 4 workers"));
  EXPECT_THAT(refusal(operation_of(Operation::kGather, Strategy::kDirect, 1, 8, -1)),
              HasSubstr("the root is rank -1, but there is 1 worker"));
}

TEST(Check, RefusesARootWhereThereIsNone) {
  EXPECT_THAT(refusal(operation_of(Operation::kAllGather, Strategy::kRing, 4, 8, 1)),
              HasSubstr("all-gather has no root; broadcast, gather and scatter have"));
  EXPECT_THAT(refusal(operation_of(Operation::kSum, Strategy::kRing, 4, 8, 1)), HasSubstr("sum has no root"));
}

TEST(Check, RefusesServersHostsAndAnOrderForOperationsThatHaveNone) {
  PlanSpec spec = operation_of(Operation::kBroadcast, Strategy::kTree, 4, 8);
  spec.servers = 1;
  EXPECT_THAT(refusal(spec), HasSubstr("tree has no servers; only parameter-server has"));
  spec.servers = 0;
  spec.hosts = 2;
  EXPECT_THAT(refusal(spec), HasSubstr("tree does not look at hosts; only hierarchical does"));
  spec.hosts = 1;
  spec.order = RingOrder({3, 1, 0, 2});
  EXPECT_THAT(refusal(spec),
              HasSubstr("broadcast by tree does not follow a ring order; leave the order out"));
  spec.operation = Operation::kAllGather;
  spec.strategy = Strategy::kDirect;
  EXPECT_THAT(refusal(spec), HasSubstr("all-gather by direct does not follow a ring order; ring does"));
}

TEST(Check, RefusesServersWhereThereAreNone) {
  PlanSpec spec = spec_of(Strategy::kRing, 4, 8);
  spec.servers = 1;
  EXPECT_THAT(refusal(spec), HasSubstr("ring has no servers; only parameter-server has"));
  spec = spec_of(Strategy::kTree, 4, 8);
  spec.shares_on_workers = 2;
  EXPECT_THAT(refusal(spec), HasSubstr("tree has no servers; only parameter-server has"));
}

TEST(Check, RefusesANegativeNumberOfServers) {
  EXPECT_THAT(refusal(with_servers(4, 8, -1)), HasSubstr("the number of servers cannot be negative"));
  EXPECT_THAT(refusal(with_shares(4, 8, -1)), HasSubstr("the number of servers cannot be negative"));
}

TEST(Check, WantsEitherServersOrSharesOnWorkers) {
  const std::string words = "needs either dedicated servers or shares on its workers";
  EXPECT_THAT(refusal(with_servers(4, 8, 0)), HasSubstr(words));
  PlanSpec both = with_servers(4, 8, 1);
  both.shares_on_workers = 1;
  EXPECT_THAT(refusal(both), HasSubstr(words));
}

TEST(Check, KeepsVariablesWholeWithServersAlone) {
  PlanSpec spec = spec_of(Strategy::kRing, 3, 10);
  spec.whole_variables = true;
  EXPECT_THAT(refusal(spec), HasSubstr("ring does not look at variables; only parameter-server does"));
  EXPECT_NO_THROW(check(with_whole_variables(with_shares(3, 10, 2), {4})));
}

TEST(Check, RefusesMoreSharesThanWorkers) {
  EXPECT_EQ(refusal(with_shares(4, 8, 4)), "accepted");
  EXPECT_THAT(refusal(with_shares(4, 8, 5)), HasSubstr("5 shares do not fit on 4 workers"));
}

TEST(Check, RefusesVariableBordersThatDoNotAscendInsideTheBuffer) {
  const std::string words = "variable borders must ascend and lie inside the buffer";
  EXPECT_EQ(refusal(with_borders({0, 7, 7, 100})), "accepted");
  EXPECT_THAT(refusal(with_borders({7, 6})), HasSubstr(words));
  EXPECT_THAT(refusal(with_borders({-1, 6})), HasSubstr(words));
  EXPECT_THAT(refusal(with_borders({6, 101})), HasSubstr(words));
}

TEST(Check, RefusesMoreThanAMillionNodes) {
  EXPECT_EQ(refusal(spec_of(Strategy::kTree, 1'000'000, 1)), "accepted");
  EXPECT_THAT(refusal(spec_of(Strategy::kTree, 1'000'001, 1)),
              HasSubstr("too many; at most 1000000 nodes are supported"));
  EXPECT_THAT(refusal(with_servers(999'999, 1, 2)),
              HasSubstr("too many; at most 1000000 nodes are supported"));
  EXPECT_THAT(refusal(with_servers(1, 1, std::numeric_limits<std::int32_t>::max())), HasSubstr("nodes"));
}

TEST(Check, RefusesARingOrderWhereNoneIsFollowed) {
  for (const Strategy strategy : all_strategies()) {
    if (follows_ring_order(strategy)) continue;
    PlanSpec spec = spec_of(strategy, 3, 8);
    spec.order = RingOrder({2, 1, 0});
    EXPECT_THAT(refusal(spec), HasSubstr(fmt::format("{} does not follow a ring order; all-to-all, "
                                                     "parameter-server, ring and direct do",
                                                     name(strategy))));
  }
}

TEST(Check, RefusesARingOrderOfOtherLength) {
  PlanSpec spec = spec_of(Strategy::kRing, 4, 8);
  spec.order = RingOrder({2, 1, 0});
  EXPECT_THAT(refusal(spec), HasSubstr("the ring order names 3 of 4 workers"));
  spec.order = RingOrder({0, 1, 2, 3, 4});
  EXPECT_THAT(refusal(spec), HasSubstr("the ring order names 5 of 4 workers"));
}

TEST(Check, RefusesHostsThatDoNotFit) {
  PlanSpec ring = spec_of(Strategy::kRing, 4, 8);
  ring.hosts = 2;
  EXPECT_THAT(refusal(ring), HasSubstr("ring does not look at hosts; only hierarchical does"));
  PlanSpec spec = spec_of(Strategy::kHierarchical, 5, 8);
  spec.hosts = 2;
  EXPECT_THAT(refusal(spec), HasSubstr("5 workers do not divide evenly over 2 hosts"));
  spec.hosts = 0;
  EXPECT_THAT(refusal(spec), HasSubstr("there must be at least one host"));
}

// At most 2^60 − 1 elements of 8 bytes fit in 2^63 bytes; two messages take half of that each.
TEST(Check, RefusesTotalsBeyondTwoToThe63Bytes) {
  constexpr std::int64_t kElements = std::numeric_limits<std::int64_t>::max() / 8;
  EXPECT_EQ(refusal(spec_of(Strategy::kTree, 2, kElements / 2)), "accepted");
  EXPECT_THAT(refusal(spec_of(Strategy::kTree, 2, kElements / 2 + 1)),
              HasSubstr("parameters are too many: all messages of tree together would exceed 2^63 bytes"));
}

TEST(Check, RefusesTheLargestBufferForEveryStrategyWithoutOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int32_t n : {2, 3, 4, 999'999, 1'000'000}) {
    for (const Strategy strategy : all_strategies()) {
      PlanSpec spec = spec_of(strategy, n, kMost);
      spec.shares_on_workers = strategy == Strategy::kParameterServer ? 2 : 0;
      EXPECT_THAT(refusal(spec), HasSubstr("too many")) << in_words(spec);
    }
    for (const Operation operation : all_operations()) {
      if (operation == Operation::kSum) continue;
      for (const Strategy strategy : strategies_of(operation)) {
        const PlanSpec spec = operation_of(operation, strategy, n, kMost);
        const bool moves_it_once =
            spec.operation == Operation::kGather || spec.operation == Operation::kScatter;
        EXPECT_THAT(refusal(spec), HasSubstr("too many")) << in_words(spec);
        EXPECT_GT(closed_form(spec).elements, moves_it_once ? kMost / 3 : kMost - 1) << in_words(spec);
      }
    }
  }
}

TEST(Check, LetsOneWorkerAloneHoldAsMuchAsItLikes) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Plan plan = make_plan(spec_of(Strategy::kRing, 1, kMost));
  EXPECT_TRUE(plan.programs[0].ops.empty());
  EXPECT_EQ(in_words(verifier::verify(plan)), "");
}

TEST(Strategy, NamesAreThoseOfTheDesign) {
  std::vector<std::string_view> names;
  for (const Strategy strategy : all_strategies()) names.push_back(name(strategy));
  EXPECT_THAT(
      names, testing::UnorderedElementsAre("all-to-all", "parameter-server", "ring", "direct",
                                           "recursive-doubling", "halving-doubling", "tree", "hierarchical"));
}

TEST(Strategy, IsFoundByItsNameAndByNoOther) {
  for (const Strategy strategy : all_strategies()) EXPECT_EQ(find_strategy(name(strategy)), strategy);
  for (const char* unknown : {"", "Ring", "ring ", "allreduce"})
    EXPECT_EQ(find_strategy(unknown), std::nullopt);
}

TEST(Strategy, FourFollowTheRingOrder) {
  EXPECT_TRUE(follows_ring_order(Strategy::kAllToAll));
  EXPECT_TRUE(follows_ring_order(Strategy::kParameterServer));
  EXPECT_TRUE(follows_ring_order(Strategy::kRing));
  EXPECT_TRUE(follows_ring_order(Strategy::kDirect));
  EXPECT_FALSE(follows_ring_order(Strategy::kTree));
  EXPECT_FALSE(follows_ring_order(Strategy::kHierarchical));
}

TEST(Plan, HoldsTheProgramThatEachNodeMakesForItself) {
  for (std::int32_t n = 1; n <= 9; ++n) {
    for (PlanSpec spec : every_kind(n, 23)) {
      if (follows_ring_order(spec.strategy)) spec.order = shuffled_order(n, 7);
      SCOPED_TRACE(in_words(spec));
      const Plan plan = make_plan(spec);
      ASSERT_EQ(plan.programs.size(), idx(spec.nodes()));
      for (Rank node = 0; node < spec.nodes(); ++node) {
        EXPECT_EQ(plan.programs[idx(node)].node, node);
        EXPECT_EQ(plan.programs[idx(node)], make_program(spec, node));
      }
    }
  }
}

TEST(Plan, IsEqualForEqualSpecs) {
  for (const PlanSpec& spec : every_kind(6, 17)) {
    const PlanSpec copy = spec;
    EXPECT_EQ(make_plan(spec).programs, make_plan(copy).programs);
    EXPECT_EQ(make_plan(spec).spec, copy);
  }
}

TEST(Plan, DefaultOrderAndTheOrderOfRanksSpelledOutGiveTheSamePrograms) {
  for (PlanSpec spec : every_kind(5, 17)) {
    if (!follows_ring_order(spec.strategy)) continue;
    const Plan plan = make_plan(spec);
    spec.order = RingOrder({0, 1, 2, 3, 4});
    EXPECT_EQ(plan.programs, make_plan(spec).programs) << in_words(spec);
  }
}

TEST(OpId, DiffersForEveryStepSenderAndReceiverAndNeverOverflows) {
  const PlanSpec spec = with_servers(3, 1, 2);
  std::set<OpId> ids;
  for (std::int32_t step = 0; step < 4; ++step) {
    for (Rank from = 0; from < 5; ++from) {
      for (Rank to = 0; to < 5; ++to) ids.insert(op_id(spec, step, from, to));
    }
  }
  EXPECT_EQ(ids.size(), 4U * 5 * 5);
  const PlanSpec largest = spec_of(Strategy::kRing, PlanSpec::kMaxNodes, 1);
  EXPECT_GT(op_id(largest, 2 * PlanSpec::kMaxNodes - 1, PlanSpec::kMaxNodes - 1, PlanSpec::kMaxNodes - 1), 0);
}

TEST(Plan, NoIdIsUsedTwiceInAnyOfItsPrograms) {
  for (std::int32_t n = 2; n <= 9; ++n) {
    for (const PlanSpec& spec : every_kind(n, 23)) {
      std::set<OpId> sent;
      std::size_t sends = 0;
      const Plan plan = make_plan(spec);
      for (const Program& program : plan.programs) {
        std::set<OpId> own;
        for (const Op& op : program.ops) {
          EXPECT_TRUE(own.insert(op.id).second) << in_words(spec);
          if (op.kind != OpKind::kSend) continue;
          sent.insert(op.id);
          ++sends;
        }
      }
      EXPECT_EQ(sent.size(), sends) << in_words(spec);
    }
  }
}

// Each window numbers its room from 0.
TEST(Plan, IsMadeOfItsWindows) {
  for (std::int32_t n = 1; n <= 7; ++n) {
    for (const std::int64_t p : {0, 3, 23}) {
      std::vector<PlanSpec> specs = every_kind(n, p);
      for (const PlanSpec& spec : every_operation(n, p)) specs.push_back(spec);
      for (const PlanSpec& spec : specs) {
        for (Rank node = 0; node < spec.nodes(); ++node) {
          Program whole = make_program(spec, node);
          const std::int32_t steps = whole.ops.empty() ? 1 : whole.ops.back().step + 1;
          for (Op& op : whole.ops) op.room = 0;
          for (const std::int32_t length : {1, 2, 3}) {
            std::vector<Op> ops;
            for (std::int32_t first = 0; first < steps; first += length) {
              for (Op op : make_program(spec, node, {first, first + length}).ops) {
                op.room = 0;
                ops.push_back(op);
              }
            }
            EXPECT_EQ(ops, whole.ops) << in_words(spec) << " windows of " << length;
          }
        }
      }
    }
  }
}

TEST(Plan, OfAWindowTakesNoTimeForTheRest) {
  const PlanSpec spec = spec_of(Strategy::kRing, PlanSpec::kMaxNodes, 10'000'000);
  const Program program = make_program(spec, 7, {1'500'000, 1'500'003});
  EXPECT_EQ(program.ops.size(), 6U);
  EXPECT_LE(program.ops.capacity(), 16U);
}

// With a million workers and few elements nearly all chunks are empty.
TEST(Plan, OfAnOperationTakesNoTimeForEmptyChunks) {
  for (const PlanSpec& spec : every_operation(3, 10)) {
    if (spec.strategy == Strategy::kStar) continue;  // sends no chunks
    PlanSpec large = spec;
    large.workers = PlanSpec::kMaxNodes;
    if (spec.root > 0) large.root = 500'000 + spec.root;
    std::size_t ops = 0;
    for (Rank node = 0; node < 1'000; ++node) ops += make_program(large, node).ops.size();
    EXPECT_LE(ops, 100'000U) << in_words(large);
  }
}

}  // namespace
}  // namespace trireme::plan
