#include "optim/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "optim/torch_reference_test_util.h"

namespace trireme::optim {
namespace {

using testing::HasSubstr;

std::string complaint_about(const ScheduleSpec& spec) {
  try {
    check(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// PyTorch multiplies each rate by a factor to get the next; we compute each by itself, so the last bits
// differ.
TEST(Schedule, HasTheRatesOfPyTorch) {
  for (const TorchSchedule& torch : kTorchSchedules) {
    SCOPED_TRACE(torch.name);
    check(torch.spec);
    for (std::size_t i = 0; i < torch.rates.size(); ++i) {
      const auto step = static_cast<std::int64_t>(i) + 1;
      EXPECT_NEAR(rate_of_step(torch.spec, 0.3, step), torch.rates[i], 1e-15) << "step " << step;
    }
  }
}

TEST(Schedule, WarmsUpInEqualParts) {
  const ScheduleSpec spec{.warmup_steps = 4};
  EXPECT_EQ(rate_of_step(spec, 1, 1), 0.25);
  EXPECT_EQ(rate_of_step(spec, 1, 2), 0.5);
  EXPECT_EQ(rate_of_step(spec, 1, 3), 0.75);
  EXPECT_EQ(rate_of_step(spec, 1, 4), 1);
  EXPECT_EQ(rate_of_step(spec, 1, 1'000'000), 1);
}

TEST(StepSchedule, ChangesAfterEveryFewSteps) {
  const ScheduleSpec spec{.kind = ScheduleKind::kStep, .warmup_steps = 2, .every_steps = 3, .gamma = 0.5};
  const double expected[] = {0.5, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(rate_of_step(spec, 1, i + 1), expected[i]) << "step " << i + 1;
}

TEST(CosineSchedule, EndsAtItsFinalRateAndStaysThere) {
  const ScheduleSpec spec{
      .kind = ScheduleKind::kCosine, .warmup_steps = 10, .total_steps = 110, .final_rate = 0.125};
  EXPECT_EQ(rate_of_step(spec, 1, 11), 1);
  EXPECT_NEAR(rate_of_step(spec, 1, 61), (1 + 0.125) / 2, 1e-15);
  EXPECT_GT(rate_of_step(spec, 1, 110), 0.125);
  EXPECT_EQ(rate_of_step(spec, 1, 111), 0.125);
  EXPECT_EQ(rate_of_step(spec, 1, 1'000'000), 0.125);
}

TEST(CosineSchedule, FallsFromStepToStep) {
  const ScheduleSpec spec{.kind = ScheduleKind::kCosine, .total_steps = 1000};
  for (std::int64_t step = 1; step <= 1000; ++step) {
    EXPECT_GT(rate_of_step(spec, 1, step), rate_of_step(spec, 1, step + 1)) << step;
  }
}

TEST(ScheduleKind, IsFoundByItsName) {
  for (const ScheduleKind kind : all_schedule_kinds()) EXPECT_EQ(parse_schedule_kind(name(kind)), kind);
}

TEST(ScheduleKind, ThatIsUnknownIsAnsweredWithAllThatAreKnown) {
  try {
    (void)parse_schedule_kind("linear");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown schedule 'linear'; give one of constant, step, cosine");
  }
}

TEST(ScheduleCheck, NamesTheNumberThatCannotBeRight) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint_about({}), "");
  EXPECT_EQ(complaint_about({.warmup_steps = -1}), "the warm-up has -1 steps; it must have 0 or more");
  EXPECT_THAT(complaint_about({.kind = ScheduleKind::kStep}), HasSubstr("every 0 steps"));
  EXPECT_THAT(complaint_about({.kind = ScheduleKind::kStep, .every_steps = 1, .gamma = 0}),
              HasSubstr("gamma is 0"));
  EXPECT_THAT(complaint_about({.kind = ScheduleKind::kStep, .every_steps = 1, .gamma = kNan}),
              HasSubstr("gamma is nan"));
  EXPECT_THAT(complaint_about({.kind = ScheduleKind::kCosine, .warmup_steps = 5, .total_steps = 5}),
              HasSubstr("a cosine schedule of 5 steps has a warm-up of 5 steps"));
  EXPECT_THAT(complaint_about({.kind = ScheduleKind::kCosine, .total_steps = 5, .final_rate = -1}),
              HasSubstr("the final learning rate is -1"));
}

}  // namespace
}  // namespace trireme::optim
