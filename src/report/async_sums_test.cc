#include "report/async_sums.h"

#include <gtest/gtest.h>

namespace trireme::report {
namespace {

std::vector<sim::SimUpdate> updates(const std::vector<std::int64_t>& versions) {
  std::vector<sim::SimUpdate> all;
  for (const std::int64_t version : versions) all.push_back({.read_version = version});
  return all;
}

// Case 5 of the facts.
TEST(AsyncSums, StandBesideTheBound) {
  EXPECT_EQ(
      bound_words(updates({0, 0, 0}), 3, 4),
      "the weights differ from those of one core by at most 4ηΔ: 2 pairs of gradients at different weights "
      "count 2ηΔ each\n"
      "  x_async = x0 − η(∇f1(x0) + ∇f2(x0) + ∇f3(x0))\n"
      "  x_seq   = x0 − η(∇f1(x0) + ∇f2(x1) + ∇f3(x2))\n"
      "  xk: the weights of each run after its k-th update; fk: the loss on mini-batch k\n");
}

TEST(AsyncSums, CountGradientsWithoutACounterpart) {
  const std::string text = bound_words(updates({0, 0, 0, 1, 2}), 3, 6);
  EXPECT_NE(
      text.find(
          "at most 6ηΔ: 2 pairs of gradients at different weights count 2ηΔ each, 2 gradients without a "
          "counterpart ηΔ each\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("x_async = x0 − η(∇f1(x0) + ∇f2(x0) + ∇f3(x0) + ∇f4(x1) + ∇f5(x2))\n"),
            std::string::npos);
}

TEST(AsyncSums, OfManyAreCut) {
  const auto one_by_one = [](std::int64_t updates) {
    return sum_words(updates, [](std::int64_t k) { return k; });
  };
  EXPECT_EQ(one_by_one(7), "x0 − η(∇f1(x0) + ∇f2(x1) + ∇f3(x2) + ∇f4(x3) + … + ∇f7(x6))");
  EXPECT_EQ(one_by_one(6), "x0 − η(∇f1(x0) + ∇f2(x1) + ∇f3(x2) + ∇f4(x3) + ∇f5(x4) + ∇f6(x5))");
  EXPECT_EQ(one_by_one(0), "x0");
}

}  // namespace
}  // namespace trireme::report
