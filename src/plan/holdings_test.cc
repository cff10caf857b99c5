#include "plan/holdings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_test_util.h"

namespace trireme::plan {
namespace {

std::string in_words(const std::vector<Slice>& slices) {
  std::string text;
  for (const Slice& slice : slices) text += in_words(slice);
  return text.empty() ? "nothing" : text;
}

// Of 7 elements over 3: chunks [0,2) [2,4) [4,7).
std::string of(Operation operation, Rank worker) {
  const Holdings held =
      holdings(operation_of(operation, Strategy::kDirect, 3, 7, has_root(operation) ? 1 : 0), worker);
  return in_words(held.before) + " → " + in_words(held.after);
}

TEST(Holdings, AreThoseOfTheDesign) {
  EXPECT_EQ(of(Operation::kSum, 2), "[0,7) → [0,7)");
  EXPECT_EQ(of(Operation::kBroadcast, 1), "[0,7) → [0,7)");
  EXPECT_EQ(of(Operation::kBroadcast, 2), "nothing → [0,7)");
  EXPECT_EQ(of(Operation::kGather, 1), "[2,4) → [0,7)");
  EXPECT_EQ(of(Operation::kGather, 2), "[4,7) → nothing");
  EXPECT_EQ(of(Operation::kAllGather, 2), "[4,7) → [0,7)");
  EXPECT_EQ(of(Operation::kScatter, 1), "[0,7) → [2,4)");
  EXPECT_EQ(of(Operation::kScatter, 0), "nothing → [0,2)");
  EXPECT_EQ(of(Operation::kReduceScatter, 2), "[0,7) → [4,7)");
  EXPECT_EQ(of(Operation::kAllToAll, 0), "[0,7) → [0,2)[7,9)[14,16)");
  EXPECT_EQ(of(Operation::kAllToAll, 2), "[14,21) → [4,7)[11,14)[18,21)");
}

TEST(Holdings, OfAServerAreNothing) {
  EXPECT_EQ(holdings(with_servers(2, 5, 1), 2), Holdings{});
  EXPECT_EQ(total(holdings(with_servers(2, 5, 1), 1).after), 5);
}

TEST(Holdings, LeaveOutEmptySlices) {
  for (const PlanSpec& spec : every_operation(5, 2)) {
    for (Rank node = 0; node < 5; ++node) {
      const Holdings held = holdings(spec, node);
      for (const Slice& slice : held.before) EXPECT_FALSE(slice.empty()) << in_words(spec);
      for (const Slice& slice : held.after) EXPECT_FALSE(slice.empty()) << in_words(spec);
    }
  }
}

// Where everybody brings something else, and where everybody gets something else, nothing is left out and
// nothing is there twice.
TEST(Holdings, DivideTheElementsAmongTheWorkers) {
  for (const std::int64_t p : {0, 1, 4, 5, 6, 23}) {
    const auto sum_of = [&](Operation operation, auto side) {
      std::int64_t all = 0;
      for (Rank node = 0; node < 5; ++node) {
        all += total(holdings(operation_of(operation, Strategy::kDirect, 5, p), node).*side);
      }
      return all;
    };
    EXPECT_EQ(sum_of(Operation::kGather, &Holdings::before), p);
    EXPECT_EQ(sum_of(Operation::kScatter, &Holdings::after), p);
    EXPECT_EQ(sum_of(Operation::kReduceScatter, &Holdings::after), p);
    EXPECT_EQ(sum_of(Operation::kAllToAll, &Holdings::before), 5 * p);
    EXPECT_EQ(sum_of(Operation::kAllToAll, &Holdings::after), 5 * p);
  }
}

}  // namespace
}  // namespace trireme::plan
