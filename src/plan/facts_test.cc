// The worked examples of distributed training that the plans must reproduce: the table of messages, and a
// ring value by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "plan/count.h"
#include "plan/plan.h"
#include "plan/plan_test_util.h"
#include "plan/share.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

using testing::UnorderedElementsAre;

struct Expected {
  std::int64_t messages, min, max;
};

void expect_tally(const PlanSpec& spec, const Expected& expected) {
  SCOPED_TRACE(in_words(spec));
  const Tally tally = count(make_plan(spec));
  EXPECT_EQ(tally.messages, expected.messages);
  EXPECT_EQ(tally.min_message_elements, expected.min);
  EXPECT_EQ(tally.max_message_elements, expected.max);
}

TEST(Messages, TableOfStrategiesHoldsForManyWorkers) {
  for (const std::int32_t workers : {2, 3, 4, 8, 13}) {
    const std::int64_t n = workers;
    const std::int64_t p = 60 * n;  // divisible by n
    expect_tally(spec_of(Strategy::kAllToAll, workers, p), {n * (n - 1), p, p});
    expect_tally(with_servers(workers, p, 1), {2 * n, p, p});
    expect_tally(spec_of(Strategy::kRing, workers, p), {2 * n * (n - 1), 60, 60});
    expect_tally(spec_of(Strategy::kDirect, workers, p), {2 * n * (n - 1), 60, 60});
  }
}

TEST(Messages, ShardedServersTakeOneEachPerWorkerAndWay) {
  expect_tally(with_servers(4, 60, 3), {24, 20, 20});          // 2ns
  expect_tally(with_shares(4, 60, 3), {18, 20, 20});           // 2s(n−1)
  expect_tally(with_shares(4, 60, 4), {24, 15, 15});           // s = n: as direct
  expect_tally(with_servers(4, 2, 3), {16, 1, 1});             // min(s, p)
  expect_tally(spec_of(Strategy::kRing, 4, 3), {18, 1, 1});    // 2(n−1)·min(n, p)
  expect_tally(spec_of(Strategy::kDirect, 5, 2), {16, 1, 1});  // likewise
}

TEST(Messages, SizesOfAShardedWorkerSumToTheBufferEachWay) {
  const Tally tally = count(make_plan(with_servers(4, 61, 3)));
  for (Rank worker = 0; worker < 4; ++worker) {
    EXPECT_EQ(tally.nodes[idx(worker)].sent_elements, 61);
    EXPECT_EQ(tally.nodes[idx(worker)].received_elements, 61);
  }
}

TEST(Messages, OfAnAsynchronousUpdateAreTwoForEachServer) {
  const PlanSpec spec = with_servers(1, 61, 3);
  expect_tally(spec, {6, 20, 21});
  const ClosedForm form = closed_form_of_update(spec);
  EXPECT_EQ(form.messages, 6);
  EXPECT_EQ(form.messages_formula, "2s");
  EXPECT_EQ(form.message_elements_formula, "p/s");
  EXPECT_EQ(form.elements_formula, "2p");
  EXPECT_EQ(closed_form_of_update(with_servers(1, 61, 1)).messages_formula, "2");
  EXPECT_EQ(closed_form_of_update(with_servers(1, 2, 3)).messages_formula, "2·min(s, p)");
}

constexpr Rank kA = 0, kB = 1, kC = 2, kD = 3;

PlanSpec ring_a_b_d_c() {
  PlanSpec spec = spec_of(Strategy::kRing, 4, 4);
  spec.order = RingOrder({kA, kB, kD, kC});
  return spec;
}

std::string letter(Rank rank) { return std::string(1, "ABCD"[idx(rank)]); }

std::vector<std::string> sent_in(const Plan& plan, std::int32_t step) {
  std::vector<std::string> result;
  for (const Program& program : plan.programs) {
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::kSend || op.step != step) continue;
      EXPECT_EQ(op.slice.count, 1);
      result.push_back(fmt::format("{}→{} r{}", letter(program.node), letter(op.peer), op.slice.first));
    }
  }
  return result;
}

TEST(ARingValueByValue, EachPassSendsWhatTheTextSays) {
  const Plan plan = make_plan(ring_a_b_d_c());
  EXPECT_THAT(sent_in(plan, 0), UnorderedElementsAre("A→B r0", "B→D r1", "D→C r2", "C→A r3"));
  EXPECT_THAT(sent_in(plan, 1), UnorderedElementsAre("B→D r0", "D→C r1", "C→A r2", "A→B r3"));
  EXPECT_THAT(sent_in(plan, 2), UnorderedElementsAre("D→C r0", "C→A r1", "A→B r2", "B→D r3"));
  EXPECT_THAT(sent_in(plan, 3), UnorderedElementsAre("C→A r0", "A→B r1", "B→D r2", "D→C r3"));
  EXPECT_THAT(sent_in(plan, 4), UnorderedElementsAre("A→B r0", "B→D r1", "D→C r2", "C→A r3"));
  EXPECT_THAT(sent_in(plan, 5), UnorderedElementsAre("B→D r0", "D→C r1", "C→A r2", "A→B r3"));
  EXPECT_THAT(sent_in(plan, 6), testing::IsEmpty());
}

TEST(ARingValueByValue, ChunkKIsCompleteAtPositionKMinusOne) {
  const Plan plan = make_plan(ring_a_b_d_c());
  std::map<std::int64_t, Rank> completed_by;
  for (const Program& program : plan.programs) {
    for (const Op& op : program.ops) {
      if (!op.completes) continue;
      EXPECT_EQ(op.step, 2);
      EXPECT_EQ(op.action, Action::kAdd);
      EXPECT_TRUE(completed_by.emplace(op.slice.first, program.node).second);
    }
  }
  EXPECT_EQ(completed_by, (std::map<std::int64_t, Rank>{{0, kC}, {1, kA}, {2, kB}, {3, kD}}));
}

// The values that every node holds after each step, found by running the plan.
std::vector<std::vector<std::vector<int>>> values_after_steps(const Plan& plan,
                                                              std::vector<std::vector<int>> values) {
  std::vector<std::vector<std::vector<int>>> history{values};
  for (std::int32_t step = 0; step < 6; ++step) {
    const auto before = values;
    for (const Program& program : plan.programs) {
      for (const Op& op : program.ops) {
        if (op.kind != OpKind::kReceive || op.step != step) continue;
        const int incoming = before[idx(op.peer)][idx(op.slice.first)];
        int& held = values[idx(program.node)][idx(op.slice.first)];
        held = op.action == Action::kAdd ? held + incoming : incoming;
      }
    }
    history.push_back(values);
  }
  return history;
}

TEST(ARingValueByValue, TheNumbersAreThoseOfTheText) {
  const auto after = values_after_steps(make_plan(ring_a_b_d_c()), {{17, 11, 1, 9},
                                                                    {5, 13, 23, 14},  //
                                                                    {3, 6, 10, 8},
                                                                    {12, 7, 2, 12}});
  EXPECT_EQ(after[1][kB][0], 22);
  EXPECT_EQ(after[2][kD][0], 34);
  EXPECT_EQ(after[3][kC][0], 37);
  EXPECT_EQ(after[1][kD][1], 20);
  EXPECT_EQ(after[2][kC][1], 26);
  EXPECT_EQ(after[3][kA][1], 37);
  EXPECT_EQ(after[1][kC][2], 12);
  EXPECT_EQ(after[2][kA][2], 13);
  EXPECT_EQ(after[3][kB][2], 36);
  EXPECT_EQ(after[1][kA][3], 17);
  EXPECT_EQ(after[2][kB][3], 31);
  EXPECT_EQ(after[3][kD][3], 43);
  for (const auto& held : after[6]) EXPECT_EQ(held, (std::vector<int>{37, 37, 36, 43}));
}

TEST(ARingValueByValue, TakesTwentyFourMessagesOfOneElement) {
  expect_tally(ring_a_b_d_c(), {24, 1, 1});
  EXPECT_EQ(count(make_plan(ring_a_b_d_c())).steps, 6);
}

}  // namespace
}  // namespace trireme::plan
