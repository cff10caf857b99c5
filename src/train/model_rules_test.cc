#include "train/model_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<ModelTensor> kTensors = {
    {"1.weight", {8, 4}}, {"1.bias", {8}}, {"3.weight", {2, 8}}, {"3.bias", {2}}};

TrainConfig by(const std::string& rule) {
  TrainConfig config;
  config.optimizer = usual_rule(rule);
  return config;
}

TEST(ModelRules, AreSaidWhereMatricesAndOthersDiffer) {
  EXPECT_THAT(say_rules(by("adamw"), kTensors), IsEmpty());
  EXPECT_THAT(say_rules(by("muon"), kTensors),
              ElementsAre("muon updates 2 matrices, and adamw 2 other parameters, at 0.015 times the rate"));
  EXPECT_THAT(say_rules(by("steepest:spectral"), kTensors),
              ElementsAre("steepest:spectral updates 2 matrices, and steepest:l2 2 other parameters"));
  EXPECT_THAT(say_rules(by("muon"), std::span(kTensors).first(1)), IsEmpty());
}

TEST(ModelRules, OfGroupsAreSaidWithTheParametersThatTheyHoldFor) {
  TrainConfig config = by("muon");
  config.groups = {{.match = "*.bias", .weight_decay = 0},
                   {.match = "3.*", .rule = usual_rule("sgd")},
                   {.match = "1.bias", .rate = 0.5}};
  EXPECT_THAT(
      say_rules(config, kTensors),
      ElementsAre("muon updates 1 matrix, and adamw 1 other parameter, at 0.015 times the rate",
                  "group \"*.bias\": 0 parameters of 2, the others are in later groups, weight decay 0",
                  "group \"3.*\": 2 parameters, by sgd, rate 0.01",
                  "group \"1.bias\": 1 parameter, rate 0.5"));
}

TEST(ModelRules, HaveTheRatesOfTheirGroups) {
  TrainConfig config = by("adam");
  config.groups = {{.match = "*.bias", .rate = 0.002}, {.match = "3.bias", .rule = usual_rule("sgd")}};
  const std::vector<RuleSpec> rules = rules_of(config, kTensors);
  EXPECT_EQ(rules[0], config.optimizer);
  EXPECT_DOUBLE_EQ(rules[1].rate, 0.002);
  EXPECT_EQ(rules[3].kind, RuleKind::kSgd);
  EXPECT_DOUBLE_EQ(rules[3].rate, 0.01);
  config.groups.push_back({.match = "5.*"});
  EXPECT_THROW(static_cast<void>(rules_of(config, kTensors)), Error);
}

TEST(ModelRules, AreCountedWhereTheyLookAtTheWholeModel) {
  TrainConfig config = by("steepest:linf");
  EXPECT_EQ(measured_tensors(config, kTensors), 0);
  config.optimizer.whole_model = true;
  EXPECT_EQ(measured_tensors(config, kTensors), 4);
  config.groups = {{.match = "*.bias", .rule = usual_rule("sgd")}};
  EXPECT_EQ(measured_tensors(config, kTensors), 2);
}

}  // namespace
}  // namespace trireme::train
