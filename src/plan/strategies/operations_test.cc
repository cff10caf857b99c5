// The ops of small operations, written out by hand from the rules, and their results on numbers.
#include "plan/strategies/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/any_spec_test_util.h"
#include "plan/explain/narrative.h"
#include "plan/holdings.h"
#include "plan/plan_test_util.h"
#include "plan/verifier/verify.h"

namespace trireme::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> ops_of(const PlanSpec& spec, Rank node) { return lines(make_program(spec, node)); }

std::string refusal_of_operation(std::string_view text) {
  try {
    (void)parse_operation(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Operation, IsFoundByItsName) {
  for (const Operation operation : all_operations()) EXPECT_EQ(parse_operation(name(operation)), operation);
  EXPECT_EQ(refusal_of_operation("all_gather"), "unknown operation 'all_gather'; did you mean all-gather?");
  EXPECT_EQ(refusal_of_operation("allreduce"), "unknown operation 'allreduce'; did you mean sum?");
}

TEST(Operation, HasTheStrategiesOfTheDesign) {
  EXPECT_EQ(names_of(strategies_of(Operation::kBroadcast)), "tree, direct and star");
  EXPECT_EQ(names_of(strategies_of(Operation::kGather)), "direct and tree");
  EXPECT_EQ(names_of(strategies_of(Operation::kAllGather)), "direct and ring");
  EXPECT_EQ(names_of(strategies_of(Operation::kScatter)), "direct and tree");
  EXPECT_EQ(names_of(strategies_of(Operation::kReduceScatter)), "direct and ring");
  EXPECT_EQ(names_of(strategies_of(Operation::kAllToAll)), "direct");
  EXPECT_THAT(strategies_of(Operation::kSum), testing::ElementsAreArray(all_strategies()));
  for (const Operation operation : all_operations()) {
    EXPECT_NE(find_maker(operation, default_strategy(operation)), nullptr);
  }
}

TEST(Operation, IsNamedWithItsStrategyUnlessItIsASum) {
  EXPECT_EQ(title(spec_of(Strategy::kRing, 2, 2)), "ring");
  EXPECT_EQ(title(Operation::kAllToAll, Strategy::kDirect), "all-to-all by direct");
}

TEST(Broadcast, ByTreeGoesDownFromTheRoot) {
  const PlanSpec spec = operation_of(Operation::kBroadcast, Strategy::kTree, 5, 4, 1);
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [0,4) to 4, copy", "1: send [0,4) to 2, copy",
                                           "2: send [0,4) to 0, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("1: receive [0,4) from 1, copy", "2: send [0,4) to 3, copy"));
  EXPECT_THAT(ops_of(spec, 4), ElementsAre("0: receive [0,4) from 1, copy"));
}

TEST(Broadcast, ByDirectGivesOutChunksThatAreThenShared) {
  const PlanSpec spec = operation_of(Operation::kBroadcast, Strategy::kDirect, 3, 7, 1);
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [4,7) to 2, copy", "0: send [0,2) to 0, copy",
                                           "1: send [2,4) to 2, copy", "1: send [2,4) to 0, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: receive [4,7) from 1, copy", "1: send [4,7) to 0, copy",
                                           "1: receive [0,2) from 0, copy", "1: receive [2,4) from 1, copy"));
}

TEST(Broadcast, ByStarGoesStraightFromTheRootToAll) {
  const PlanSpec spec = operation_of(Operation::kBroadcast, Strategy::kStar, 3, 7, 1);
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [0,7) to 2, copy", "0: send [0,7) to 0, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: receive [0,7) from 1, copy"));
}

TEST(Gather, ByDirectSendsEveryChunkToTheRoot) {
  const PlanSpec spec = operation_of(Operation::kGather, Strategy::kDirect, 3, 7, 1);
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: receive [4,7) from 2, copy", "0: receive [0,2) from 0, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: send [4,7) to 1, copy"));
}

TEST(Gather, ByTreeSendsTheChunksBelowTogether) {
  const PlanSpec spec = operation_of(Operation::kGather, Strategy::kTree, 6, 6, 3);
  EXPECT_THAT(ops_of(spec, 3), ElementsAre("0: receive [2,3) from 2, copy", "1: receive [0,2) from 0, copy",
                                           "2: receive [4,6) from 4, copy"));
  EXPECT_THAT(ops_of(spec, 4), ElementsAre("0: receive [5,6) from 5, copy", "2: send [4,6) to 3, copy"));
}

TEST(Scatter, IsAGatherInReverse) {
  for (const Strategy strategy : {Strategy::kDirect, Strategy::kTree}) {
    for (const std::int64_t p : {3, 6, 13}) {
      for (Rank root = 0; root < 6; ++root) {
        const PlanSpec gather = operation_of(Operation::kGather, strategy, 6, p, root);
        const PlanSpec scatter = operation_of(Operation::kScatter, strategy, 6, p, root);
        const std::int32_t last = strategy == Strategy::kTree ? 2 : 0;
        for (Rank node = 0; node < 6; ++node) {
          std::vector<std::string> there, back;
          for (Op op : make_program(gather, node).ops) {
            op.kind = op.kind == OpKind::kSend ? OpKind::kReceive : OpKind::kSend;
            op.step = last - op.step;
            back.push_back(in_words({}, op));
          }
          there = ops_of(scatter, node);
          EXPECT_THAT(there, testing::UnorderedElementsAreArray(back)) << in_words(scatter);
        }
      }
    }
  }
}

TEST(AllGather, ByRingPassesOnWhatItGot) {
  EXPECT_THAT(ops_of(operation_of(Operation::kAllGather, Strategy::kRing, 3, 7), 1),
              ElementsAre("0: send [2,4) to 2, copy", "0: receive [0,2) from 0, copy",
                          "1: send [0,2) to 2, copy", "1: receive [4,7) from 0, copy"));
}

TEST(AllGather, ByRingFollowsTheOrderWithTheChunkOfEachRank) {
  PlanSpec spec = operation_of(Operation::kAllGather, Strategy::kRing, 3, 7);
  spec.order = RingOrder({2, 0, 1});
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: send [4,7) to 0, copy", "0: receive [2,4) from 1, copy",
                                           "1: send [2,4) to 0, copy", "1: receive [0,2) from 1, copy"));
}

TEST(AllGather, ByRingWithAnOrderLeavesOutEmptyChunks) {
  PlanSpec spec = operation_of(Operation::kAllGather, Strategy::kRing, 3, 1);  // chunk 2 alone is not empty
  spec.order = RingOrder({2, 0, 1});
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: receive [0,1) from 2, copy", "1: send [0,1) to 1, copy"));
}

TEST(ReduceScatter, ByDirectAddsUpInRingOrderAtTheOwner) {
  PlanSpec spec = operation_of(Operation::kReduceScatter, Strategy::kDirect, 3, 7);
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [4,7) to 2, keep", "0: send [0,2) to 0, keep",
                                           "0: receive [2,4) from 2, keep in room 0",
                                           "0: receive [2,4) from 0, keep in room 2",
                                           "0: fold [2,4) of own + room 0 of 2 + room 2 of 0, completes"));
  spec.order = RingOrder({2, 0, 1});  // so chunk 1 begins with rank 0
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [4,7) to 2, keep", "0: send [0,2) to 0, keep",
                                           "0: receive [2,4) from 0, keep in room 0",
                                           "0: receive [2,4) from 2, keep in room 2",
                                           "0: fold [2,4) of room 0 of 0 + own + room 2 of 2, completes"));
}

TEST(ReduceScatter, ByRingHandsTheSumsOver) {
  EXPECT_THAT(ops_of(operation_of(Operation::kReduceScatter, Strategy::kRing, 3, 7), 1),
              ElementsAre("0: send [2,4) to 2, add", "0: receive [0,2) from 0, add",
                          "1: send [0,2) to 2, add", "1: receive [4,7) from 0, add, completes",
                          "2: send [4,7) to 2, copy", "2: receive [2,4) from 0, copy"));
}

TEST(ReduceScatter, ByRingHandsOverNothingThatIsAtItsOwnerAlready) {
  PlanSpec spec = operation_of(Operation::kReduceScatter, Strategy::kRing, 3, 7);
  spec.order = RingOrder({1, 2, 0});  // chunk k is complete at position k−1, where rank k is
  EXPECT_EQ(ops_of(spec, 0).size(), 4U);
  EXPECT_EQ(in_words(verifier::verify(make_plan(spec))), "");
}

TEST(AllToAll, ByDirectSendsChunkKOfItsRowToWorkerK) {
  EXPECT_THAT(ops_of(operation_of(Operation::kAllToAll, Strategy::kDirect, 3, 7), 1),
              ElementsAre("0: send [11,14) to 2, copy", "0: send [7,9) to 0, copy",
                          "0: receive [16,18) from 2, copy", "0: receive [2,4) from 0, copy"));
}

TEST(EveryOperation, DoesNothingWithNothingOrAlone) {
  for (std::int32_t n = 1; n <= 5; ++n) {
    for (const std::int64_t p : {0, 9}) {
      if (n > 1 && p > 0) continue;
      for (const PlanSpec& spec : every_operation(n, p)) {
        for (Rank node = 0; node < n; ++node) EXPECT_THAT(ops_of(spec, node), IsEmpty()) << in_words(spec);
        EXPECT_EQ(in_words(verifier::verify(make_plan(spec))), "");
      }
    }
  }
}

TEST(EveryOperation, IsRightUpToSeventeenWorkers) {
  for (std::int32_t n = 1; n <= 17; ++n) {
    for (const std::int64_t p : {1, 2, n - 1, n, n + 1, 97}) {
      for (PlanSpec spec : every_operation(n, p)) {
        ASSERT_EQ(in_words(verifier::verify(make_plan(spec))), "") << in_words(spec);
        if (!follows_ring_order(spec.operation, spec.strategy)) continue;
        spec.order = shuffled_order(n, static_cast<std::uint32_t>(p));
        ASSERT_EQ(in_words(verifier::verify(make_plan(spec))), "") << in_words(spec);
      }
    }
  }
}

RC_GTEST_PROP(EveryOperation, IsRightForManyWorkers, ()) {
  const PlanSpec spec = any_operation(60);
  RC_ASSERT(in_words(verifier::verify(make_plan(spec))) == "");
}

// The numbers that worker `of` brings: all different, and with sums that are exact in any order.
double number(Rank of, std::int64_t at) { return static_cast<double>(of * std::int64_t{1'000} + at); }

// What each worker gets, straight from the meaning of the operation.
std::vector<double> expected(const PlanSpec& spec, Rank worker) {
  std::vector<double> held;
  const std::int64_t p = spec.parameters;
  const Slice own = chunk(worker, p, spec.workers);
  const auto owner = [&](std::int64_t at) { return static_cast<Rank>(chunk_of(at, p, spec.workers)); };
  for (std::int64_t at = 0; at < p; ++at) {
    const bool in_own = at >= own.first && at < own.end();
    switch (spec.operation) {
      case Operation::kBroadcast:
        held.push_back(number(spec.root, at));
        break;
      case Operation::kGather:
        if (worker == spec.root)
          held.push_back(number(owner(at), at - chunk(owner(at), p, spec.workers).first));
        break;
      case Operation::kAllGather:
        held.push_back(number(owner(at), at - chunk(owner(at), p, spec.workers).first));
        break;
      case Operation::kScatter:
        if (in_own) held.push_back(number(spec.root, at));
        break;
      case Operation::kReduceScatter: {
        double sum = 0;
        for (Rank of = 0; of < spec.workers; ++of) sum += number(of, at);
        if (in_own) held.push_back(sum);
        break;
      }
      default:
        break;
    }
  }
  if (spec.operation == Operation::kAllToAll) {
    for (Rank of = 0; of < spec.workers; ++of) {
      for (std::int64_t at = own.first; at < own.end(); ++at) held.push_back(number(of, at));
    }
  }
  return held;
}

TEST(EveryOperation, GivesEverybodyTheNumbersThatItPromises) {
  for (std::int32_t n = 1; n <= 7; ++n) {
    for (const std::int64_t p : {0, 1, 5, 7, 8, 20}) {
      for (const PlanSpec& spec : every_operation(n, p)) {
        Values brought(idx(n));
        for (Rank worker = 0; worker < n; ++worker) {
          for (std::int64_t at = 0; at < p; ++at) brought[idx(worker)].push_back(number(worker, at));
        }
        const Values results = calculate(make_plan(spec), brought);
        for (Rank worker = 0; worker < n; ++worker) {
          ASSERT_EQ(results[idx(worker)], expected(spec, worker)) << in_words(spec) << " rank " << worker;
          ASSERT_EQ(std::ssize(results[idx(worker)]), total(holdings(spec, worker).after));
        }
      }
    }
  }
}

// The same bits as a sum, in every ring order: fractions show every other order of addition.
TEST(ReduceScatter, GivesTheBitsOfASum) {
  for (std::int32_t n = 2; n <= 6; ++n) {
    for (const bool shuffled : {false, true}) {
      Values brought(idx(n));
      std::mt19937_64 random(1);
      for (auto& row : brought) {
        for (int i = 0; i < 23; ++i) row.push_back(static_cast<double>(random() >> 11) * 0x1p-53);
      }
      PlanSpec sum = spec_of(Strategy::kRing, n, 23);
      if (shuffled) sum.order = shuffled_order(n, 5);
      const std::vector<double> sums = calculate(make_plan(sum), brought)[0];
      for (const Strategy strategy : strategies_of(Operation::kReduceScatter)) {
        PlanSpec spec = sum;
        spec.operation = Operation::kReduceScatter;
        spec.strategy = strategy;
        const Values results = calculate(make_plan(spec), brought);
        for (Rank k = 0; k < n; ++k) {
          const Slice own = chunk(k, 23, n);
          EXPECT_EQ(results[idx(k)], std::vector(sums.begin() + own.first, sums.begin() + own.end()));
        }
      }
    }
  }
}

}  // namespace
}  // namespace trireme::plan
