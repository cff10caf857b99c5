// Every strategy gives every worker the right sum. (conformance_test.cc holds what is sent to the plan.)
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "exec/exchange_test_util.h"

namespace trireme::exec {
namespace {

class EveryStrategy : public testing::TestWithParam<ElementType> {};

TEST_P(EveryStrategy, GivesEveryWorkerTheSum) {
  const ElementType type = GetParam();
  for (const std::int32_t n : {1, 2, 3, 4, 7}) {
    for (const std::int64_t p : {0, 1, 2, 3, 5, 16, 17, 1000, 4099}) {
      for (const plan::PlanSpec& spec : all_specs(n, p)) {
        const std::vector<Numbers> after = exchanged(spec, type, small_numbers(spec, type));
        expect_on_all_workers(spec, after, sum_of_small_numbers(spec, type));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfElements, EveryStrategy, testing::ValuesIn(all_element_types()),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST(Exchange, GivesTheSumForAnySize) {
  EXPECT_TRUE(rc::check("the sum is right", [] {
    const auto n = *rc::gen::inRange<std::int32_t>(1, 10);
    const auto p = *rc::gen::inRange<std::int64_t>(0, 600);
    const plan::PlanSpec spec = *rc::gen::elementOf(all_specs(n, p));
    const ElementType type =
        *rc::gen::elementOf(std::vector(all_element_types().begin(), all_element_types().end()));
    const std::vector<Numbers> after = exchanged(spec, type, small_numbers(spec, type));
    const Numbers expected = sum_of_small_numbers(spec, type);
    for (Rank rank = 0; rank < n; ++rank) RC_ASSERT(are_same(after[idx(rank)], expected));
  }));
}

}  // namespace
}  // namespace trireme::exec
