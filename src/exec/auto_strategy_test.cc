#include "exec/auto_strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "plan/strategies/strategies.h"

namespace trireme::exec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ChooseStrategy, SaysWhatItChoseAndForWhat) {
  for (const wire::WireKind wire : {wire::WireKind::kShm, wire::WireKind::kThreads, wire::WireKind::kAuto}) {
    for (const bool in_window : {false, true}) {
      for (const std::int32_t workers : {1, 2, 3, 1000}) {
        for (const std::int64_t bytes : {0LL, 4LL, 512LL, 513LL, 100'000LL, 1LL << 40}) {
          const Choice choice = choose_strategy(wire, in_window, workers, bytes);
          EXPECT_THAT(choice.why, StartsWith(std::string(plan::name(choice.strategy)) + ", "));
        }
      }
    }
  }
}

// Else the choice would change bits of the result.
TEST(ChooseStrategy, TakesOnlyStrategiesThatAddInRingOrder) {
  constexpr std::array kInRingOrder = {plan::Strategy::kAllToAll, plan::Strategy::kParameterServer,
                                       plan::Strategy::kRing, plan::Strategy::kDirect};
  for (const wire::WireKind wire : {wire::WireKind::kShm, wire::WireKind::kThreads, wire::WireKind::kAuto}) {
    for (const bool in_window : {false, true}) {
      for (std::int64_t bytes = 1; bytes < (1LL << 40); bytes *= 2) {
        const plan::Strategy strategy = choose_strategy(wire, in_window, 4, bytes).strategy;
        EXPECT_NE(std::find(kInRingOrder.begin(), kInRingOrder.end(), strategy), kInRingOrder.end());
      }
    }
  }
}

TEST(ChooseStrategy, NamesTheSizesUpToWhichItHolds) {
  const Choice small = choose_strategy(wire::WireKind::kShm, true, 4, 4096);
  EXPECT_EQ(small.strategy, plan::Strategy::kAllToAll);
  EXPECT_THAT(small.why, HasSubstr("4 workers, up to 4,096 bytes"));
  const Choice large = choose_strategy(wire::WireKind::kShm, true, 4, 4097);
  EXPECT_EQ(large.strategy, plan::Strategy::kDirect);
  EXPECT_THAT(large.why, HasSubstr("4 workers, above 4,096 bytes"));
}

TEST(ChooseStrategy, SaysWhenNothingWasMeasured) {
  EXPECT_THAT(choose_strategy(wire::WireKind::kAuto, false, 4, 100).why,
              HasSubstr("because nothing was measured"));
}

}  // namespace
}  // namespace trireme::exec
