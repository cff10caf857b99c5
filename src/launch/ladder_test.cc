#include "launch/ladder.h"

#include <gtest/gtest.h>

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;
constexpr Ladder::Clock::time_point kStart{};

TEST(Ladder, DoesNothingBeforeItIsBegun) {
  Ladder ladder(2s);
  EXPECT_FALSE(ladder.begun());
  EXPECT_EQ(ladder.due(kStart + 1h), 0);
}

TEST(Ladder, AsksAfterOneGraceAndKillsAfterTwo) {
  Ladder ladder(2s);
  ladder.begin(kStart);
  EXPECT_EQ(ladder.due(kStart + 1999ms), 0);
  EXPECT_EQ(ladder.due(kStart + 2s), SIGTERM);
  EXPECT_EQ(ladder.due(kStart + 3s), 0);
  EXPECT_EQ(ladder.due(kStart + 4s), SIGKILL);
  EXPECT_EQ(ladder.due(kStart + 5s), 0);
}

TEST(Ladder, IsNotDrawnOutByASecondReason) {
  Ladder ladder(2s);
  ladder.begin(kStart);
  ladder.begin(kStart + 1s);
  EXPECT_EQ(ladder.due(kStart + 2s), SIGTERM);
}

TEST(Ladder, InAHurryKillsAtOnce) {
  Ladder ladder(2s);
  ladder.begin(kStart);
  ladder.hurry(kStart + 1ms);
  EXPECT_EQ(ladder.due(kStart + 1ms), SIGKILL);
  EXPECT_EQ(ladder.due(kStart + 1h), 0);
}

TEST(Ladder, TakesThePatienceThatItIsBegunWith) {
  const Ladder::Clock::time_point start{};
  Ladder ladder(std::chrono::seconds(2));
  ladder.begin(start, std::chrono::seconds(60));
  ladder.begin(start, std::chrono::seconds(1));
  EXPECT_EQ(ladder.due(start + std::chrono::seconds(59)), 0);
  EXPECT_EQ(ladder.due(start + std::chrono::seconds(60)), SIGTERM);
  EXPECT_EQ(ladder.due(start + std::chrono::seconds(119)), 0);
  EXPECT_EQ(ladder.due(start + std::chrono::seconds(120)), SIGKILL);
}

}  // namespace
}  // namespace trireme::launch
