#include "plan/explain/words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

TEST(Describe, GivesTheShortestExactName) {
  const PlanSpec spec = spec_of(Strategy::kRing, 4, 10);  // chunks [0,2) [2,5) [5,7) [7,10)
  EXPECT_EQ(describe(spec, {0, 10}), "the whole buffer");
  EXPECT_EQ(describe(spec, {2, 3}), "chunk 1");
  EXPECT_EQ(describe(spec, {2, 5}), "chunks 1–2");
  EXPECT_EQ(describe(spec, {2, 2}), "elements 2–3");
  EXPECT_EQ(describe(spec, {3, 2}), "elements 3–4");
  EXPECT_EQ(describe(spec, {9, 1}), "element 9");
  EXPECT_EQ(describe(spec, {4, 0}), "nothing");
}

TEST(Describe, CountsChunksAmongTheEmptyOnes) {
  const PlanSpec spec = spec_of(Strategy::kRing, 5, 2);  // chunks 2 and 4 have one element each
  EXPECT_EQ(describe(spec, {0, 1}), "chunk 2");
  EXPECT_EQ(describe(spec, {1, 1}), "chunk 4");
}

TEST(Describe, NamesChunksOfRowsInAnAllToAll) {
  const PlanSpec spec = operation_of(Operation::kAllToAll, Strategy::kDirect, 4, 10);
  EXPECT_EQ(describe(spec, {0, 40}), "the whole buffer");
  EXPECT_EQ(describe(spec, {12, 3}), "chunk 1 of row 1");
  EXPECT_EQ(describe(spec, {35, 5}), "chunks 2–3 of row 3");
  EXPECT_EQ(describe(spec, {20, 10}), "row 2");
  EXPECT_EQ(describe(spec, {18, 4}), "elements 18–21");
  EXPECT_EQ(describe(spec, {13, 1}), "element 3 of row 1");
}

TEST(Describe, FindsSharesFarFromTheirEvenPlaces) {
  // Four empty shares, [0,990), four empty ones and [990,1000).
  const PlanSpec spec = with_whole_variables(with_servers(2, 1000, 10), {990});
  EXPECT_EQ(describe(spec, {0, 990}), "share 4");
  EXPECT_EQ(describe(spec, {990, 10}), "share 9");
  EXPECT_EQ(describe(spec, {0, 100}), "elements 0–99");
}

TEST(DescribeElements, SpeaksOfOneOrSeveral) {
  EXPECT_EQ(describe_elements({7, 1}), "element 7");
  EXPECT_EQ(describe_elements({7, 3}), "elements 7–9");
}

std::string phases(const PlanSpec& spec) {
  std::string text;
  std::int32_t last = 0;
  for (const Program& program : make_plan(spec).programs) {
    if (!program.ops.empty()) last = std::max(last, program.ops.back().step);
  }
  for (std::int32_t step = 0; step <= last; ++step) {
    if (step > 0) text += ", ";
    text += phase(spec, step);
  }
  return text;
}

TEST(Phase, SaysWhatEachStepIsFor) {
  EXPECT_EQ(phases(spec_of(Strategy::kAllToAll, 4, 8)), "exchange");
  EXPECT_EQ(phases(with_servers(4, 8, 1)), "push, pull");
  EXPECT_EQ(phases(spec_of(Strategy::kRing, 3, 8)), "reduce, reduce, share, share");
  EXPECT_EQ(phases(spec_of(Strategy::kDirect, 3, 8)), "reduce, share");
  EXPECT_EQ(phases(spec_of(Strategy::kRecursiveDoubling, 4, 8)), "exchange, exchange");
  EXPECT_EQ(phases(spec_of(Strategy::kRecursiveDoubling, 5, 8)), "hand over, exchange, exchange, hand back");
  EXPECT_EQ(phases(spec_of(Strategy::kHalvingDoubling, 4, 8)), "reduce, reduce, share, share");
  EXPECT_EQ(phases(spec_of(Strategy::kHalvingDoubling, 3, 8)), "hand over, reduce, share, hand back");
  EXPECT_EQ(phases(spec_of(Strategy::kTree, 3, 8)), "reduce, reduce, share, share");
  EXPECT_EQ(phases(on_hosts(2, 2, 8)),
            "reduce inside hosts, reduce across hosts, share across hosts, share inside hosts");
  EXPECT_EQ(phases(on_hosts(2, 1, 8)), "reduce across hosts, share across hosts");
  EXPECT_EQ(phases(on_hosts(1, 2, 8)), "reduce inside hosts, share inside hosts");
}

TEST(Phase, SaysWhatEachStepOfAnOperationIsFor) {
  const auto of = [](Operation operation, Strategy strategy) {
    return phases(operation_of(operation, strategy, 4, 8));
  };
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kTree), "broadcast, broadcast");
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kDirect), "scatter, share");
  EXPECT_EQ(of(Operation::kBroadcast, Strategy::kStar), "broadcast");
  EXPECT_EQ(of(Operation::kGather, Strategy::kTree), "gather, gather");
  EXPECT_EQ(of(Operation::kScatter, Strategy::kDirect), "scatter");
  EXPECT_EQ(of(Operation::kAllGather, Strategy::kRing), "share, share, share");
  EXPECT_EQ(of(Operation::kReduceScatter, Strategy::kRing), "reduce, reduce, reduce, hand over");
  EXPECT_EQ(of(Operation::kAllToAll, Strategy::kDirect), "exchange");
}

TEST(Say, NamesTheOperationUnlessItIsASum) {
  const PlanSpec spec = operation_of(Operation::kGather, Strategy::kTree, 4, 8, 1);
  EXPECT_EQ(say(spec, make_program(spec, 2).ops[1]), "step 2 of gather by tree: send chunks 2–3 to rank 1");
}

TEST(Say, NamesStepStrategyAndWhatIsDone) {
  const PlanSpec ring = spec_of(Strategy::kRing, 3, 7);
  const Program program = make_program(ring, 1);
  EXPECT_EQ(say(ring, program.ops[0]), "step 1 of ring: send chunk 1 to rank 2");
  EXPECT_EQ(say(ring, program.ops[3]), "step 2 of ring: receive chunk 2 from rank 0");
  const PlanSpec direct = spec_of(Strategy::kDirect, 3, 7);
  EXPECT_EQ(say(direct, make_program(direct, 1).ops[4]), "step 1 of direct: add up chunk 1");
}

}  // namespace
}  // namespace trireme::plan
