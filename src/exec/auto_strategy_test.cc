#include "exec/auto_strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace trireme {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ChooseStrategy, SaysWhatItChoseAndForWhat) {
  for (const std::string_view wire : {"shm", "threads", "a wire of tomorrow"}) {
    for (const bool in_window : {false, true}) {
      for (const std::int32_t workers : {1, 2, 3, 1000}) {
        for (const std::int64_t bytes : {0LL, 4LL, 512LL, 513LL, 100'000LL, 1LL << 40}) {
          const Choice choice = choose_strategy(wire, in_window, workers, bytes);
          EXPECT_THAT(choice.why, StartsWith(std::string(name(choice.strategy)) + ", "));
        }
      }
    }
  }
}

// Else the choice would change bits of the result.
TEST(ChooseStrategy, TakesOnlyStrategiesThatAddInRingOrder) {
  constexpr std::array kInRingOrder = {Strategy::kAllToAll, Strategy::kParameterServer, Strategy::kRing,
                                       Strategy::kDirect};
  for (const std::string_view wire : {"shm", "threads", "a wire of tomorrow"}) {
    for (const bool in_window : {false, true}) {
      for (std::int64_t bytes = 1; bytes < (1LL << 40); bytes *= 2) {
        const Strategy strategy = choose_strategy(wire, in_window, 4, bytes).strategy;
        EXPECT_NE(std::find(kInRingOrder.begin(), kInRingOrder.end(), strategy), kInRingOrder.end());
      }
    }
  }
}

TEST(ChooseStrategy, NamesTheSizesUpToWhichItHolds) {
  const Choice small = choose_strategy("shm", true, 4, 4096);
  EXPECT_EQ(small.strategy, Strategy::kAllToAll);
  EXPECT_THAT(small.why, HasSubstr("4 workers, up to 4,096 bytes"));
  const Choice large = choose_strategy("shm", true, 4, 4097);
  EXPECT_EQ(large.strategy, Strategy::kDirect);
  EXPECT_THAT(large.why, HasSubstr("4 workers, above 4,096 bytes"));
}

TEST(ChooseStrategy, SaysWhenNothingWasMeasured) {
  EXPECT_THAT(choose_strategy("a wire of tomorrow", false, 4, 100).why,
              HasSubstr("for want of measurements"));
}

}  // namespace
}  // namespace trireme
