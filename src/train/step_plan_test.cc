#include "train/step_plan.h"

#include <gtest/gtest.h>

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

TEST(StepPlan, OfOneWorkerSendsNothing) {
  const StepPlan plan = plan_step({"auto", wire::WireKind::kShm, true, 1}, buckets_of({1000}));
  EXPECT_EQ(plan.messages, 0);
  EXPECT_EQ(plan.bytes, 0);
}

}  // namespace
}  // namespace trireme::train
