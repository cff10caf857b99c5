#include "rounds/drive_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::rounds {
namespace {

TEST(DriveChoice, IsWhatWasAskedForOnceThereIsAnythingToOverlap) {
  DriveChoice choice(Drive::kThread, 1);
  EXPECT_EQ(choice.current(), Drive::kAfter);
  EXPECT_FALSE(choice.overlaps());
  choice.begin_overlap();
  EXPECT_EQ(choice.current(), Drive::kThread);
  choice.end_round(static_cast<std::int32_t>(Drive::kHooks));
  EXPECT_EQ(choice.current(), Drive::kThread);
  EXPECT_FALSE(DriveChoice(Drive::kAfter, 1).may_overlap());
}

TEST(DriveChoice, IsThatOfRank0WhereItIsMeasured) {
  DriveChoice choice(std::nullopt, 1);
  choice.end_round(static_cast<std::int32_t>(Drive::kHooks));
  EXPECT_EQ(choice.current(), Drive::kAfter);
  choice.begin_overlap();
  choice.end_round(static_cast<std::int32_t>(Drive::kHooks));
  EXPECT_EQ(choice.current(), Drive::kHooks);
}

TEST(DriveChoice, IsSaidByRank0WhenItHasBeenMeasured) {
  DriveChoice choice(std::nullopt, 0);
  choice.begin_overlap();
  testing::internal::CaptureStderr();
  for (int round = 0; round < 40; ++round) choice.end_round(choice.told());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("trireme: buckets are exchanged "));
  EXPECT_EQ(static_cast<std::int32_t>(choice.current()), choice.told());
}

}  // namespace
}  // namespace trireme::rounds
