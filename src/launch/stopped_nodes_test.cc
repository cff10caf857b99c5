#include "launch/stopped_nodes.h"

#include <gtest/gtest.h>

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;

constexpr LongStop::Clock::time_point kBegin{1h};
constexpr std::chrono::nanoseconds kTwoSecondsInAll = 2s - LongStop::kMorePatience;

TEST(LongStop, IsOneThatLastsLongerThanItMay) {
  LongStop stop(kTwoSecondsInAll);
  EXPECT_FALSE(stop.see(true, kBegin));
  EXPECT_FALSE(stop.see(true, kBegin + 1s));
  EXPECT_FALSE(stop.see(true, kBegin + 2s));
  EXPECT_TRUE(stop.see(true, kBegin + 2s + 1ms));
}

TEST(LongStop, IsOverWhenOneGoesOn) {
  LongStop stop(kTwoSecondsInAll);
  EXPECT_FALSE(stop.see(true, kBegin));
  EXPECT_FALSE(stop.see(true, kBegin + 1900ms));
  EXPECT_FALSE(stop.see(false, kBegin + 1950ms));
  EXPECT_FALSE(stop.see(true, kBegin + 2100ms));
  EXPECT_FALSE(stop.see(true, kBegin + 4s));
  EXPECT_TRUE(stop.see(true, kBegin + 4200ms));
}

TEST(LongStop, DoesNotCountWhileTheLauncherIsStoppedItself) {
  LongStop stop(kTwoSecondsInAll);
  EXPECT_FALSE(stop.see(true, kBegin));
  EXPECT_FALSE(stop.see(true, kBegin + 1s));
  EXPECT_FALSE(stop.see(true, kBegin + 1h)) << "nobody looked for an hour";
  EXPECT_FALSE(stop.see(true, kBegin + 1h + 900ms));
  EXPECT_TRUE(stop.see(true, kBegin + 1h + 1100ms));
}

}  // namespace
}  // namespace trireme::launch
