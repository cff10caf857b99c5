// The order of addition, as expressions: compares what plans do (run naively) with what the design says.
#include "plan/verifier/sum_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/oracle_test_util.h"

namespace trireme::plan::verifier {
namespace {

// "(0@7+1@7)" → "(0+1)": every element has the same order.
std::string without_elements(std::string sum) {
  for (auto at = sum.find('@'); at != std::string::npos; at = sum.find('@')) {
    sum.erase(at, sum.find_first_of("+)]", at) - at);
  }
  return sum;
}

// The sum that rank 0 holds in chunk k at the end; all others must hold the same.
std::string sum_of_chunk(const PlanSpec& spec, std::int64_t k) {
  const NaiveRun run = run_naively(make_plan(spec));
  EXPECT_EQ(run.wrong, "") << in_words(spec);
  for (const auto& results : run.results) EXPECT_EQ(results, run.results[0]) << in_words(spec);
  return without_elements(run.results[0][idx(chunk(k, spec.parameters, spec.workers).first)]);
}

// ((g_k + g_{k+1}) + …) + g_{k−1}, by ring position.
std::string in_ring_order(const PlanSpec& spec, std::int64_t k) {
  const std::int64_t n = spec.workers;
  std::string sum = std::to_string(spec.order.rank_at(static_cast<Rank>(k)));
  for (std::int64_t i = 1; i < n; ++i) {
    const std::string next = std::to_string(spec.order.rank_at(static_cast<Rank>((k + i) % n)));
    // The oracle writes the lower of the first two summands first.
    sum = i == 1 ? fmt::format("({}+{})", std::min(sum, next), std::max(sum, next))
                 : fmt::format("({}+{})", sum, next);
  }
  return spec.nodes() == 1 ? sum : "[" + sum + "]";
}

TEST(OrderOfAddition, FourStrategiesAddEveryChunkInRingOrderFromItsPosition) {
  for (std::int32_t n = 1; n <= 7; ++n) {
    for (const std::int64_t p : {1, n, 2 * n + 1}) {
      for (PlanSpec spec : every_kind(n, p)) {
        if (!follows_ring_order(spec.strategy)) continue;
        for (const std::uint32_t seed : {0U, 1U, 2U}) {
          if (seed > 0) spec.order = shuffled_order(n, seed);
          for (std::int64_t k = 0; k < n; ++k) {
            if (chunk(k, p, n).empty()) continue;
            ASSERT_EQ(sum_of_chunk(spec, k), in_ring_order(spec, k)) << in_words(spec) << ", chunk " << k;
          }
        }
      }
    }
  }
}

// The borders of shares differ from those of chunks, but the sums inside are still chunk by chunk.
TEST(OrderOfAddition, HoldsInSharesThatAreCutElsewhere) {
  PlanSpec spec = with_servers(3, 200, 2);
  spec.variable_borders = {99};
  const NaiveRun run = run_naively(make_plan(spec));
  EXPECT_EQ(without_elements(run.results[0][65]), "[((0+1)+2)]");
  EXPECT_EQ(without_elements(run.results[0][66]), "[((1+2)+0)]");
  EXPECT_EQ(without_elements(run.results[0][98]), "[((1+2)+0)]");
  EXPECT_EQ(without_elements(run.results[0][132]), "[((1+2)+0)]");
  EXPECT_EQ(without_elements(run.results[0][133]), "[((0+2)+1)]");
}

TEST(OrderOfAddition, OfATreeIsABalancedTreeOverTheRanks) {
  EXPECT_EQ(sum_of_chunk(spec_of(Strategy::kTree, 2, 9), 0), "[(0+1)]");
  EXPECT_EQ(sum_of_chunk(spec_of(Strategy::kTree, 3, 9), 2), "[((0+1)+2)]");
  EXPECT_EQ(sum_of_chunk(spec_of(Strategy::kTree, 4, 9), 0), "[((0+1)+(2+3))]");
  EXPECT_EQ(sum_of_chunk(spec_of(Strategy::kTree, 5, 9), 0), "[(((0+1)+(2+3))+4)]");
  EXPECT_EQ(sum_of_chunk(spec_of(Strategy::kTree, 7, 9), 0), "[(((0+1)+(2+3))+((4+5)+6))]");
}

TEST(OrderOfAddition, OfDoublingIsABalancedTreeOverThoseWhoTakePart) {
  for (const Strategy strategy : {Strategy::kRecursiveDoubling, Strategy::kHalvingDoubling}) {
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 2, 9), 0), "[(0+1)]");
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 3, 9), 0), "[((0+1)+2)]");
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 4, 9), 3), "[((0+1)+(2+3))]");
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 5, 9), 0), "[(((0+1)+2)+(3+4))]");
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 6, 9), 5), "[(((0+1)+(2+3))+(4+5))]");
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 7, 9), 0), "[(((0+1)+(2+3))+((4+5)+6))]");
    EXPECT_EQ(sum_of_chunk(spec_of(strategy, 8, 9), 4), "[(((0+1)+(2+3))+((4+5)+(6+7)))]");
  }
}

// Chunk k = place·H + host: inside each host from that place on, then over the hosts from that host on.
TEST(OrderOfAddition, OfAHierarchyIsInsideHostsFirst) {
  EXPECT_EQ(sum_of_chunk(on_hosts(2, 2, 8), 0), "[((0+1)+(2+3))]");
  EXPECT_EQ(sum_of_chunk(on_hosts(2, 3, 6), 0), "[(((0+1)+2)+((3+4)+5))]");
  EXPECT_EQ(sum_of_chunk(on_hosts(2, 3, 6), 3), "[(((1+2)+0)+((4+5)+3))]");
  EXPECT_EQ(sum_of_chunk(on_hosts(3, 2, 6), 0), "[(((0+1)+(2+3))+(4+5))]");
  EXPECT_EQ(sum_of_chunk(on_hosts(3, 2, 6), 1), "[(((2+3)+(4+5))+(0+1))]");
  EXPECT_EQ(sum_of_chunk(on_hosts(3, 2, 6), 5), "[(((0+1)+(4+5))+(2+3))]");
}

// "0" for rank 0's contribution, "sum" for a sum, up to where something else is promised: "0 until 2, …"
std::string promises(Operation operation, Strategy strategy) {
  const PlanSpec spec = operation_of(operation, strategy, 3, 7, has_root(operation) ? 1 : 0);
  SumPool pool;
  std::string text;
  for (std::int64_t at = 0; at < spec.elements(); at = promise_end(spec, at)) {
    const Sum sum = promised_in(pool, spec, at);
    std::string what = "sum";
    for (Rank rank = 0; rank < 3; ++rank) {
      if (sum == pool.contribution(rank)) what = fmt::format("{}", rank);
    }
    EXPECT_EQ(promised_in(pool, spec, promise_end(spec, at) - 1), sum);
    text += fmt::format("{} until {}, ", what, promise_end(spec, at));
  }
  return text;
}

TEST(Promise, IsTheContributionOfTheWorkerThatHadTheElement) {
  EXPECT_EQ(promises(Operation::kBroadcast, Strategy::kTree), "1 until 7, ");
  EXPECT_EQ(promises(Operation::kScatter, Strategy::kDirect), "1 until 7, ");
  EXPECT_EQ(promises(Operation::kGather, Strategy::kDirect), "0 until 2, 1 until 4, 2 until 7, ");
  EXPECT_EQ(promises(Operation::kAllGather, Strategy::kRing), "0 until 2, 1 until 4, 2 until 7, ");
  EXPECT_EQ(promises(Operation::kAllToAll, Strategy::kDirect), "0 until 7, 1 until 14, 2 until 21, ");
}

TEST(Promise, IsASumWhereContributionsAreAddedUp) {
  EXPECT_EQ(promises(Operation::kReduceScatter, Strategy::kRing), "sum until 2, sum until 4, sum until 7, ");
  EXPECT_EQ(promises(Operation::kSum, Strategy::kRing), "sum until 2, sum until 4, sum until 7, ");
  EXPECT_EQ(promises(Operation::kSum, Strategy::kTree), "sum until 7, ");
}

}  // namespace
}  // namespace trireme::plan::verifier
