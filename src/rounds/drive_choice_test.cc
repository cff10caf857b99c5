#include "rounds/drive_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::rounds {
namespace {

constexpr std::chrono::seconds kTimeout(60);

TEST(DriveChoice, IsWhatWasAskedForOnceThereIsAnythingToOverlap) {
  DriveChoice choice(Drive::kThread, 1, kTimeout);
  EXPECT_EQ(choice.current(), Drive::kAfter);
  EXPECT_FALSE(choice.overlaps());
  choice.begin_overlap();
  EXPECT_EQ(choice.current(), Drive::kThread);
  choice.end_round(static_cast<std::int32_t>(Drive::kHooks));
  EXPECT_EQ(choice.current(), Drive::kThread);
  EXPECT_FALSE(DriveChoice(Drive::kAfter, 1, kTimeout).may_overlap());
}

TEST(DriveChoice, IsThatOfRank0WhereItIsMeasured) {
  DriveChoice choice(std::nullopt, 1, kTimeout);
  choice.end_round(static_cast<std::int32_t>(Drive::kHooks));
  EXPECT_EQ(choice.current(), Drive::kAfter);
  choice.begin_overlap();
  choice.end_round(static_cast<std::int32_t>(Drive::kHooks));
  EXPECT_EQ(choice.current(), Drive::kHooks);
}

TEST(DriveChoice, IsSaidByRank0WhenItHasBeenMeasured) {
  DriveChoice choice(std::nullopt, 0, kTimeout);
  choice.begin_overlap();
  testing::internal::CaptureStderr();
  for (int round = 0; round < 40; ++round) choice.end_round(choice.told());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("trireme: buckets are exchanged "));
  EXPECT_EQ(static_cast<std::int32_t>(choice.current()), choice.told());
}

// Rank 0 follows the others, whose trial goes on: it still tells them what it measures.
TEST(DriveChoice, IsNobodyOnceBackwardHasEnded) {
  DriveChoice choice(std::nullopt, 0, kTimeout);
  choice.begin_overlap();
  for (int round = 0; round < 15; ++round) choice.end_round(choice.told());
  EXPECT_EQ(choice.current(), Drive::kHooks);
  choice.end_overlap();
  EXPECT_EQ(choice.current(), Drive::kAfter);
  EXPECT_FALSE(choice.may_overlap());
  EXPECT_EQ(choice.told(), static_cast<std::int32_t>(Drive::kHooks));
  choice.end_round(choice.told());
  EXPECT_EQ(choice.current(), Drive::kAfter);
}

}  // namespace
}  // namespace trireme::rounds
