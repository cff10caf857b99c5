#include "cli/bench/telling_values.h"

#include <gtest/gtest.h>

#include <vector>

#include "plan/holdings.h"
#include "plan/strategies/operations.h"

namespace trireme::cli {
namespace {

using plan::Operation;
using Values = std::vector<float>;

std::vector<plan::PlanSpec> specs(std::int32_t workers, std::int64_t parameters) {
  std::vector<plan::PlanSpec> all;
  for (const Operation operation : plan::all_operations()) {
    plan::PlanSpec spec;
    spec.operation = operation;
    spec.strategy = plan::default_strategy(operation);
    spec.workers = workers;
    spec.parameters = parameters;
    spec.root = plan::has_root(operation) ? workers - 1 : 0;
    all.push_back(spec);
  }
  return all;
}

// What a worker brings.
Values brought(const plan::PlanSpec& spec, Rank node) {
  Values values(idx(plan::total(plan::holdings(spec, node).before)));
  fill_in(values, first_brought(spec, node), node);
  return values;
}

// What all workers together bring for each element: the sum, or that of the only one who brings it.
Values together(const plan::PlanSpec& spec) {
  Values all(idx(spec.elements()));
  for (Rank node = 0; node < spec.workers; ++node) {
    const Values own = brought(spec, node);
    for (std::size_t i = 0; i < own.size(); ++i) all[idx(first_brought(spec, node)) + i] += own[i];
  }
  return all;
}

Values result(const plan::PlanSpec& spec, Rank node) {
  const Values all = together(spec);
  Values part;
  for (const plan::Slice& slice : plan::holdings(spec, node).after) {
    part.insert(part.end(), all.begin() + slice.first, all.begin() + slice.end());
  }
  return part;
}

class TellingValues : public testing::TestWithParam<std::int32_t> {};

TEST_P(TellingValues, AcceptTheResultOfEveryOperation) {
  for (const plan::PlanSpec& spec : specs(GetParam(), 2500)) {
    for (Rank node = 0; node < spec.workers; ++node) {
      EXPECT_TRUE(has_got_its_part(spec, node, result(spec, node))) << plan::name(spec.operation) << node;
    }
  }
}

TEST_P(TellingValues, RefuseAResultWithOneWrongElement) {
  for (const plan::PlanSpec& spec : specs(GetParam(), 23)) {
    for (Rank node = 0; node < spec.workers; ++node) {
      Values part = result(spec, node);
      for (float& value : part) {
        value += 1;
        EXPECT_FALSE(has_got_its_part(spec, node, part)) << plan::name(spec.operation) << node;
        value -= 1;
      }
    }
  }
}

TEST_P(TellingValues, RefuseTheResultOfAnotherWorker) {
  for (const plan::PlanSpec& spec : specs(GetParam(), 8 * GetParam())) {
    for (Rank node = 0; node + 1 < spec.workers; ++node) {
      const bool is_same = plan::holdings(spec, node).after == plan::holdings(spec, node + 1).after ||
                           result(spec, node).empty();
      if (!is_same) {
        EXPECT_FALSE(has_got_its_part(spec, node, result(spec, node + 1)))
            << plan::name(spec.operation) << node;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, TellingValues, testing::Values(1, 2, 3, 4, 7));

TEST(TellingValues, RefuseARowThatWasNotExchanged) {
  for (const plan::PlanSpec& spec : specs(4, 64)) {
    if (spec.operation != Operation::kAllToAll) continue;
    for (Rank node = 0; node < 4; ++node) EXPECT_FALSE(has_got_its_part(spec, node, brought(spec, node)));
  }
}

TEST(TellingValues, RefuseABroadcastThatHasNotComeYet) {
  plan::PlanSpec spec;
  spec.operation = Operation::kBroadcast;
  spec.strategy = plan::Strategy::kTree;
  spec.workers = 2;
  spec.parameters = 5;
  Values buffer(5);
  fill_in(buffer, 0, 1);
  EXPECT_FALSE(has_got_its_part(spec, 1, buffer));
}

TEST(TellingValues, RefuseAResultOfAnotherLength) {
  for (const plan::PlanSpec& spec : specs(2, 6)) {
    Values part = result(spec, 1);
    part.push_back(0);
    EXPECT_FALSE(has_got_its_part(spec, 1, part)) << plan::name(spec.operation);
  }
}

TEST(TellingValues, TellTheNodesOfAPingPongApart) {
  Values message(1500);
  fill_in(message, 0, 1);
  EXPECT_TRUE(is_filled_in(message, 0, 1));
  EXPECT_FALSE(is_filled_in(message, 0, 0));
  EXPECT_FALSE(is_filled_in(message, 1, 1));
}

}  // namespace
}  // namespace trireme::cli
