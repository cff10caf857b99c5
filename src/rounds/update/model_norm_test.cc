#include "rounds/update/model_norm.h"

#include <gtest/gtest.h>

#include "exec/fabrics_test_util.h"
#include "optim/rule.h"

namespace trireme::rounds {
namespace {

RuleSpec of_model(RuleKind kind) {
  RuleSpec rule = default_rule(kind);
  rule.whole_model = true;
  return rule;
}

std::vector<optim::Measure> measured(const RuleSpec& rule) {
  std::vector<optim::Measure> measures;
  for (const std::vector<float>& gradients : {std::vector<float>{1, -3}, {2, 5, 5}, {-4}}) {
    const std::vector<float> weights(gradients.size());
    measures.push_back(
        optim::UpdateRule(rule, optim::vector_of(std::ssize(gradients))).measure(weights, gradients));
  }
  return measures;
}

void expect_equal(const optim::Measure& found, const optim::Measure& expected) {
  EXPECT_EQ(found.value, expected.value);
  EXPECT_EQ(found.index, expected.index);
}

TEST(ModelNorm, IsThatOfAllTensorsWhicheverNodeHasMeasuredThem) {
  for (const RuleKind kind : {RuleKind::kSteepestLinf, RuleKind::kSteepestL1, RuleKind::kSteepestLp}) {
    const RuleSpec rule = of_model(kind);
    const std::vector<optim::Measure> measures = measured(rule);
    const std::vector<optim::Measure> expected = optim::measures_of_model(rule, measures);
    exec::run_on(exec::Fabric::kThreads, 4, [&](wire::Wire& wire) {
      std::vector<MeasuredTensor> tensors(3, {.rule = rule});
      if (wire.rank() == 3) tensors[1].measure = measures[1];
      if (wire.rank() == 1) tensors[0].measure = measures[0], tensors[2].measure = measures[2];
      ShareSum sum(wire, std::chrono::seconds(60));
      complete_measures(tensors, &sum);
      for (std::size_t i = 0; i < tensors.size(); ++i) expect_equal(tensors[i].measure, expected[i]);
    });
  }
}

TEST(ModelNorm, IsAnotherForAnotherRuleButNotForAnotherRateOrDecay) {
  const RuleSpec one = of_model(RuleKind::kSteepestLinf);
  RuleSpec slower = one;
  slower.rate /= 2;
  slower.weight_decay = 0.1;
  const RuleSpec other = of_model(RuleKind::kSteepestL1);
  std::vector<MeasuredTensor> tensors = {
      {one, {.value = 2}}, {other, {.value = 3, .index = 0}}, {slower, {.value = 5}}};
  const std::vector<optim::Measure> both =
      optim::measures_of_model(one, std::vector<optim::Measure>{{.value = 2}, {.value = 5}});
  const std::vector<optim::Measure> alone =
      optim::measures_of_model(other, std::vector<optim::Measure>{{.value = 3, .index = 0}});
  complete_measures(tensors, nullptr);
  expect_equal(tensors[0].measure, both[0]);
  expect_equal(tensors[1].measure, alone[0]);
  expect_equal(tensors[2].measure, both[1]);
}

}  // namespace
}  // namespace trireme::rounds
