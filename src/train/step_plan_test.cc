#include "train/step_plan.h"

#include <gtest/gtest.h>

#include "plan/strategies/closed_form.h"

namespace trireme::train {
namespace {

std::vector<rounds::BucketLayout> buckets_of(std::initializer_list<std::int64_t> elements) {
  std::vector<rounds::BucketLayout> buckets;
  for (const std::int64_t count : elements) buckets.push_back({exec::ElementType::kFloat32, count});
  return buckets;
}

TEST(StepPlan, AddsUpItsBuckets) {
  const StepPlan plan = plan_step({"ring", wire::WireKind::kShm, true, 4}, buckets_of({1000, 400}));
  EXPECT_EQ(plan.messages, 2 * 2 * 4 * 3);
  EXPECT_EQ(plan.bytes, 4 * 2 * 3 * 1400);
  EXPECT_EQ(plan.strategy(), "ring");
  EXPECT_TRUE(plan.choices.empty());
}

TEST(StepPlan, SaysWhatAutoTakesForEachSizeOnce) {
  const StepPlan plan =
      plan_step({"auto", wire::WireKind::kShm, true, 4}, buckets_of({100'000, 200'000, 10}));
  EXPECT_EQ(plan.strategy(), "direct and all-to-all");
  ASSERT_EQ(plan.choices.size(), 2U);
  EXPECT_EQ(plan.choices[0],
            "direct, fastest in built-in measurements on 2 cores: wire shm, 4 workers, above 4,096 bytes");
}

TEST(StepPlan, CountsBothWaysToAServer) {
  const StepPlan plan =
      plan_step({"parameter-server", wire::WireKind::kTcp, false, 3, 2}, buckets_of({1000}));
  EXPECT_EQ(plan.messages, 2 * 3 * 2);
  EXPECT_EQ(plan.bytes, 4 * 2 * 3 * 1000);
}

TEST(StepPlan, PutsAShareOnEachWorkerWithoutServers) {
  const StepPlan plan =
      plan_step({"parameter-server", wire::WireKind::kTcp, false, 3, 0}, buckets_of({1000}));
  EXPECT_EQ(plan.messages, 2 * 3 * 2);
}

rounds::BucketLayout two_tensors(std::int64_t first, std::int64_t second) {
  return {exec::ElementType::kFloat32, first + second, {{0, 0, first}, {1, first, second}}};
}

TEST(StepPlan, LeavesOutServersWithoutATensor) {
  const std::vector<rounds::BucketLayout> buckets = {two_tensors(900, 100)};
  StepPlanSpec spec{"parameter-server", wire::WireKind::kTcp, false, 3, 4};
  EXPECT_EQ(plan_step(spec, buckets).messages, 2 * 3 * 4);
  spec.whole_tensors = true;
  EXPECT_EQ(plan_step(spec, buckets).messages, 2 * 3 * 2);
  EXPECT_EQ(plan_step(spec, buckets).bytes, 4 * 2 * 3 * 1000);
}

// Two shares, cut in the second of three blocks: three sums and 4,096 elements of 8 bytes.
TEST(StepPlan, CountsWhatHoldersTellForNorms) {
  const std::vector<rounds::BucketLayout> buckets = buckets_of({12'000});
  StepPlanSpec spec{"parameter-server", wire::WireKind::kTcp, false, 2, 2};
  const StepPlan without = plan_step(spec, buckets);
  EXPECT_TRUE(without.norms.empty());
  spec.clips = true;
  const StepPlan clipping = plan_step(spec, buckets);
  ASSERT_EQ(clipping.norms.size(), 1U);
  EXPECT_EQ(clipping.norms[0].parameters, 3 + 4096);
  EXPECT_EQ(clipping.norms[0].nodes(), 4);
  EXPECT_EQ(clipping.messages, without.messages + plan::closed_form(clipping.norms[0]).messages);
  EXPECT_EQ(clipping.bytes, without.bytes + 8 * plan::closed_form(clipping.norms[0]).elements);
  spec.measured_tensors = 5;
  ASSERT_EQ(plan_step(spec, buckets).norms.size(), 2U);
  EXPECT_EQ(plan_step(spec, buckets).norms[1].parameters, 10);
  spec.strategy = "ring";
  spec.servers = 0;
  EXPECT_TRUE(plan_step(spec, buckets).norms.empty());
}

TEST(StepPlan, OfOneWorkerSendsNothing) {
  const StepPlan plan = plan_step({"auto", wire::WireKind::kShm, true, 1}, buckets_of({1000}));
  EXPECT_EQ(plan.messages, 0);
  EXPECT_EQ(plan.bytes, 0);
}

}  // namespace
}  // namespace trireme::train
