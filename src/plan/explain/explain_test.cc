#include "plan/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

using ::testing::HasSubstr;

// Case 2 of the facts: the ring A → B → D → C, with one element for each worker.
const Values kByHand{{17, 11, 1, 9}, {5, 13, 23, 14}, {3, 6, 10, 8}, {12, 7, 2, 12}};

PlanSpec by_hand(Strategy strategy) {
  PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = 4;
  spec.parameters = 4;
  if (strategy == Strategy::kParameterServer) spec.servers = 1;
  if (follows_ring_order(strategy)) spec.order = RingOrder({0, 1, 3, 2});
  return spec;
}

std::vector<std::string> sentences(const Plan& plan, const Values* values) {
  const NodeNames names(plan.spec.workers, plan.spec.servers);
  const Narrative story = narrate(plan, values);
  std::vector<std::string> told;
  told.reserve(story.events.size());
  for (const Event& event : story.events) told.push_back(sentence(plan.spec, event, names));
  return told;
}

TEST(Explain, TellsTheRingByHandValueByValue) {
  const std::vector<std::string> told = sentences(make_plan(by_hand(Strategy::kRing)), &kByHand);
  ASSERT_EQ(told.size(), 24U);
  // r0: A sends 17 to B, which has 5; 22 to D, which has 12; 34 to C, which has 3: 37. Complete at C.
  EXPECT_EQ(told[0], "A sends chunk 0 to B, which adds it: 17 + 5 = 22");
  EXPECT_EQ(told[5], "B sends chunk 0 to D, which adds it: 22 + 12 = 34");
  EXPECT_EQ(told[11], "D sends chunk 0 to C, which adds it: 34 + 3 = 37");
  // r3 passes through 8, 17, 31.
  EXPECT_EQ(told[2], "C sends chunk 3 to A, which adds it: 8 + 9 = 17");
  EXPECT_EQ(told[4], "A sends chunk 3 to B, which adds it: 17 + 14 = 31");
  EXPECT_EQ(told[9], "B sends chunk 3 to D, which adds it: 31 + 12 = 43");
  // The first sharing pass: C sends r0 to A.
  EXPECT_EQ(told[14], "C sends chunk 0 to A, which copies it: 37");
}

TEST(Explain, EndsWithTheSameSumsForEveryStrategy) {
  for (const Strategy strategy : all_strategies()) {
    const Plan plan = make_plan(by_hand(strategy));
    const Values expected(4, std::vector<double>{37, 37, 36, 43});
    EXPECT_EQ(narrate(plan, &kByHand).results, expected) << name(strategy);
    EXPECT_EQ(calculate(plan, kByHand), expected) << name(strategy);
  }
}

TEST(Explain, NamesTheOrderInWhichAnOwnerAddsUp) {
  const std::vector<std::string> told = sentences(make_plan(by_hand(Strategy::kDirect)), &kByHand);
  EXPECT_THAT(told, ::testing::Contains("D adds up chunk 2, in the order D, C, A, B: 2 + 10 + 1 + 23 = 36"));
}

TEST(Explain, NamesTheRuleWhereTheOrderDiffersFromChunkToChunk) {
  const std::vector<std::string> told = sentences(make_plan(by_hand(Strategy::kParameterServer)), nullptr);
  EXPECT_THAT(told, ::testing::Contains(
                        "S1 adds up the whole buffer, in the ring order A, B, D, C, chunk k beginning "
                        "at position k, and applies the update rule"));
  EXPECT_THAT(told, ::testing::Contains("S1 sends the whole buffer to D, which copies it"));
}

TEST(Explain, EndsWithTheWeightsThatAServerHasUpdated) {
  const SgdUpdate update{{10, 20, 30, 40}, 0.5};
  PlanSpec spec = by_hand(Strategy::kParameterServer);
  const Plan plan = make_plan(spec);
  const Values expected(4, std::vector<double>{5.375, 15.375, 25.5, 34.625});
  const Narrative story = narrate(plan, &kByHand, std::nullopt, &update);
  EXPECT_EQ(story.results, expected);
  EXPECT_EQ(calculate(plan, kByHand, &update), expected);
  std::vector<std::string> told;
  for (const Event& event : story.events) told.push_back(sentence(spec, event, NodeNames(4, 1)));
  EXPECT_THAT(told, ::testing::Contains(
                        "S1 adds up the whole buffer, in the ring order A, B, D, C, chunk k beginning at "
                        "position k: [37, 37, 36, 43], and updates the weights by the average: "
                        "[10, 20, 30, 40] − 0.5 · [9.25, 9.25, 9, 10.75] = [5.375, 15.375, 25.5, 34.625]"));
  EXPECT_THAT(told, ::testing::Contains(
                        "S1 sends the whole buffer to D, which copies it: [5.375, 15.375, 25.5, 34.625]"));
}

TEST(Explain, AddsUpNothingWhereOneWorkerUpdatesByItself) {
  const PlanSpec spec = spec_for(Strategy::kParameterServer, 1, 2, 1);
  const Values gradient{{4, 8}};
  EXPECT_THAT(sentences(make_plan(spec), nullptr),
              ::testing::Contains("S1 has the whole buffer from A alone, and applies the update rule"));
  const SgdUpdate update{{10, 20}, 0.5};
  const Plan plan = make_plan(spec);
  const Narrative story = narrate(plan, &gradient, std::nullopt, &update);
  std::vector<std::string> told;
  for (const Event& event : story.events) told.push_back(sentence(spec, event, NodeNames(1, 1)));
  EXPECT_THAT(told,
              ::testing::Contains("S1 has the whole buffer from A alone: [4, 8], and updates the weights "
                                  "by it: [10, 20] − 0.5 · [4, 8] = [8, 16]"));
}

TEST(Explain, TellsOnlyWhatANodeTakesPartIn) {
  const Plan plan = make_plan(by_hand(Strategy::kRing));
  const Narrative story = narrate(plan, &kByHand, 3);
  EXPECT_EQ(story.events.size(), 12U);
  for (const Event& event : story.events) EXPECT_TRUE(event.from == 3 || event.to == 3);
  EXPECT_EQ(story.results.size(), 4U);
}

TEST(Explain, TellsOneProgramLikeThePlanDoes) {
  for (const Strategy strategy : all_strategies()) {
    const Plan plan = make_plan(by_hand(strategy));
    const NodeNames names(plan.spec.workers, plan.spec.servers);
    for (const Program& program : plan.programs) {
      std::vector<std::string> of_plan, of_program;
      const Narrative whole = narrate(plan, nullptr, program.node);
      const Narrative own = narrate(program);
      for (const Event& event : whole.events) of_plan.push_back(sentence(plan.spec, event, names));
      for (const Event& event : own.events) of_program.push_back(sentence(plan.spec, event, names));
      EXPECT_EQ(of_plan, of_program) << name(strategy);
    }
  }
}

TEST(Explain, SaysHowMuchWasLeftOut) {
  const Plan plan = make_plan(by_hand(Strategy::kRing));
  const NodeNames names(4, 0);
  const std::vector<Event> events = narrate(plan).events;
  EXPECT_THAT(explain(plan.spec, events, names, 6, 8, "look elsewhere"),
              HasSubstr("\n… 4 more steps (16 lines) left out;\nlook elsewhere\n"));
  EXPECT_THAT(explain(plan.spec, events, names, 6, 9, "look elsewhere"),
              HasSubstr("\n… the rest of this step and 3 more steps (15 lines) left out;\nlook elsewhere\n"));
  EXPECT_THAT(explain(plan.spec, events, names, 6, 23, "look elsewhere"),
              HasSubstr("\n… the rest of this step (1 line) left out;\nlook elsewhere\n"));
  EXPECT_THAT(explain(plan.spec, events, names, 6, 24, "look elsewhere"),
              ::testing::Not(HasSubstr("left out")));
}

TEST(Explain, CountsTheStepsOfAllNodesAlsoWhenItTellsOnesOwn) {
  const Plan plan = make_plan(by_hand(Strategy::kDirect));
  std::vector<Event> events = narrate(plan, nullptr, 0).events;
  std::erase_if(events, [](const Event& event) { return event.op->step > 0; });
  EXPECT_THAT(explain(plan.spec, events, NodeNames(4, 0), 2, 40, ""), HasSubstr("step 1 of 2: reduce\n"));
}

TEST(Explain, CutsLongListsOfNumbers) {
  EXPECT_EQ(numbers_in_words({0.1}), "0.1");
  EXPECT_EQ(numbers_in_words({1, 2, 3}), "[1, 2, 3]");
  EXPECT_EQ(numbers_in_words({1, 2, 3, 4, 5, 6, 7, 8}), "[1, 2, 3, 4, 5, 6, 7, 8]");
  EXPECT_EQ(numbers_in_words({1, 2, 3, 4, 5, 6, 7, 8, 9}), "[1, 2, 3, 4, 5, 6, …, 9]");
  EXPECT_EQ(numbers_in_words({}), "[]");
}

}  // namespace
}  // namespace trireme::plan
