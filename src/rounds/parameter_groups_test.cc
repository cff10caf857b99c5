#include "rounds/parameter_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/error.h"

namespace trireme::rounds {
namespace {

using testing::HasSubstr;

TEST(Matches, WholeNamesWithStarsAndQuestionMarks) {
  EXPECT_TRUE(matches("0.bias", "0.bias"));
  EXPECT_FALSE(matches("bias", "0.bias"));
  EXPECT_FALSE(matches("0.bia", "0.bias"));
  EXPECT_TRUE(matches("*.bias", "layers.0.bias"));
  EXPECT_FALSE(matches("*.bias", "bias"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("?.weight", "3.weight"));
  EXPECT_FALSE(matches("?.weight", "13.weight"));
  EXPECT_TRUE(matches("*ab*ab", "aabxabab"));
  EXPECT_FALSE(matches("*ab*ab", "aabx"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("", ""));
}

// Keeps all places of the pattern that may come next.
bool matches_by_all_ways(const std::string& pattern, const std::string& name) {
  std::set<std::size_t> places = {0};
  const auto skip_stars = [&] {
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      if (pattern[at] == '*' && places.contains(at)) places.insert(at + 1);
    }
  };
  skip_stars();
  for (const char c : name) {
    std::set<std::size_t> next;
    for (const std::size_t at : places) {
      if (at == pattern.size()) continue;
      if (pattern[at] == '*') next.insert(at);
      if (pattern[at] == '?' || pattern[at] == c) next.insert(at + 1);
    }
    places = std::move(next);
    skip_stars();
  }
  return places.contains(pattern.size());
}

RC_GTEST_PROP(Matches, IsWhatAllWaysTogetherSay, ()) {
  const auto pattern = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '*', '?'));
  const auto name = *rc::gen::container<std::string>(rc::gen::element('a', 'b'));
  RC_ASSERT(matches(pattern, name) == matches_by_all_ways(pattern, name));
}

const std::vector<std::string> kNames = {"0.weight", "0.bias", "2.weight", "2.bias"};

std::string refusal(const std::vector<ParameterGroup>& groups,
                    const std::vector<std::string>& names = kNames) {
  try {
    static_cast<void>(ParameterGroups(groups, names));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ParameterGroups, TheLastOneThatMatchesHolds) {
  const ParameterGroups groups({{.match = "*.bias", .weight_decay = 0},
                                {.match = "2.*", .rate_factor = 0.5},
                                {.match = "2.weight", .rule = default_rule(RuleKind::kAdam)}},
                               kNames);
  EXPECT_EQ(groups.group_of(0), ParameterGroups::kNone);
  EXPECT_EQ(groups.group_of(1), 0);
  EXPECT_EQ(groups.group_of(2), 2);
  EXPECT_EQ(groups.group_of(3), 1);
}

TEST(ParameterGroups, ChangeWhatTheySayAlone) {
  RuleSpec base = default_rule(RuleKind::kMomentum);
  base.rate = 0.2;
  base.weight_decay = 0.1;
  RuleSpec adam = default_rule(RuleKind::kAdam);
  adam.weight_decay = 0.3;
  const ParameterGroups groups({{.match = "0.bias", .weight_decay = 0},
                                {.match = "2.weight", .rate_factor = 0.5},
                                {.match = "2.bias", .rule = adam, .rate_factor = 2}},
                               kNames);
  EXPECT_EQ(groups.rule_of(0, base), base);
  RuleSpec expected = base;
  expected.weight_decay = 0;
  EXPECT_EQ(groups.rule_of(1, base), expected);
  expected = base;
  expected.rate = 0.1;
  EXPECT_EQ(groups.rule_of(2, base), expected);
  adam.rate = 0.4;
  EXPECT_EQ(groups.rule_of(3, base), adam);
}

TEST(ParameterGroups, RefuseAPatternThatMatchesNothingAndListTheNames) {
  EXPECT_THAT(
      refusal({{.match = "*.bias"}, {.match = "bias"}}),
      HasSubstr("the parameter group \"bias\" matches no parameter; the parameters are 0.weight, 0.bias, "
                "2.weight, 2.bias"));
  std::vector<std::string> many(14);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::to_string(i);
  EXPECT_THAT(refusal({{.match = "x"}}, many),
              HasSubstr("are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"));
  EXPECT_EQ(refusal({{.match = "*"}}), "");
}

TEST(ParameterGroups, RefuseNumbersThatAreOutOfRange) {
  EXPECT_THAT(refusal({{.match = "*", .rate_factor = -1}}), HasSubstr("\"*\" has -1 times the rate"));
  EXPECT_THAT(refusal({{.match = "*", .weight_decay = -1}}), HasSubstr("\"*\": the weight decay is -1"));
  RuleSpec rule = default_rule(RuleKind::kMomentum);
  rule.momentum = 1;
  EXPECT_THAT(refusal({{.match = "*", .rule = rule}}), HasSubstr("\"*\": the momentum is 1"));
}

// Nodes compare their rules and groups in words.
TEST(InWords, TellsEveryNumberThatARuleLooksAt) {
  for (const RuleKind kind : all_rule_kinds()) {
    const RuleSpec rule = default_rule(kind);
    for (double RuleSpec::*number :
         {&RuleSpec::rate, &RuleSpec::momentum, &RuleSpec::beta1, &RuleSpec::beta2, &RuleSpec::epsilon,
          &RuleSpec::weight_decay, &RuleSpec::p, &RuleSpec::trust, &RuleSpec::phi_least, &RuleSpec::phi_most,
          &RuleSpec::vector_rate}) {
      RuleSpec other = rule;
      other.*number += 0.001;
      EXPECT_EQ(rule_in_words(other) != rule_in_words(rule), uses(kind, number)) << rule_in_words(other);
    }
    RuleSpec other = rule;
    other.whole_model = true;
    EXPECT_NE(rule_in_words(other), rule_in_words(rule));
  }
  ParameterGroup group{.match = "*.bias", .weight_decay = 0};
  EXPECT_EQ(group_in_words(group), "\"*.bias\" by the rule of the step, rate times 1, weight decay 0");
  group.rule = default_rule(RuleKind::kSgd);
  group.weight_decay.reset();
  EXPECT_EQ(group_in_words(group), "\"*.bias\" by sgd with rate 0.01, weight decay 0, rate times 1");
}

}  // namespace
}  // namespace trireme::rounds
