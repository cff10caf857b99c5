#include "optim/rule_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "base/error.h"

namespace trireme::optim {
namespace {

using testing::HasSubstr;

std::string complaint(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string complaint_about(const RuleSpec& spec) {
  return complaint([&] { check(spec); });
}

TEST(RuleKind, IsFoundByItsName) {
  for (const RuleKind kind : all_rule_kinds()) EXPECT_EQ(parse_rule_kind(name(kind)), kind);
}

TEST(RuleKind, ThatIsUnknownIsAnsweredWithAllThatAreKnown) {
  EXPECT_EQ(complaint([] { (void)parse_rule_kind("rmsprop"); }),
            "unknown update rule 'rmsprop'; give one of sgd, momentum, nesterov, adam, adamw, signsgd, lion, "
            "muon, lamb, lars, steepest:l2, steepest:linf, steepest:l1, steepest:lp, steepest:spectral");
}

TEST(RuleName, IsReadBackWithItsNumber) {
  for (const RuleKind kind : all_rule_kinds()) {
    const RuleSpec rule = default_rule(kind);
    EXPECT_EQ(parse_rule(name(rule)), rule);
    EXPECT_EQ(parse_rule(name(kind)), rule);
  }
  EXPECT_EQ(name(parse_rule("steepest:lp=1.5")), "steepest:lp=1.5");
  EXPECT_EQ(parse_rule("steepest:lp=1.5").p, 1.5);
  EXPECT_EQ(name(default_rule(RuleKind::kSteepestLp)), "steepest:lp=3");
}

TEST(RuleName, SaysWhatIsWrongWithP) {
  for (const std::string text : {"steepest:lp=", "steepest:lp=3x", "steepest:lp=two"})
    EXPECT_THAT(complaint([&] { (void)parse_rule(text); }), HasSubstr("'" + text + "' says no p"));
  for (const std::string p : {"1", "0.5", "-2", "inf", "nan"})
    EXPECT_THAT(complaint([&] { (void)parse_rule("steepest:lp=" + p); }),
                HasSubstr("p of steepest:lp is " + p));
  EXPECT_THAT(complaint([] { (void)parse_rule("steepest:l7"); }),
              HasSubstr("unknown update rule 'steepest:l7'"));
}

TEST(DefaultRule, IsFineAndAsInPyTorch) {
  for (const RuleKind kind : all_rule_kinds()) {
    EXPECT_EQ(complaint_about(default_rule(kind)), "");
    EXPECT_EQ(default_rule(kind).kind, kind);
  }
  EXPECT_EQ(default_rule(RuleKind::kAdam).rate, 0.001);
  EXPECT_EQ(default_rule(RuleKind::kAdam).weight_decay, 0);
  EXPECT_EQ(default_rule(RuleKind::kAdamW).weight_decay, 0.01);
}

TEST(RuleCheck, NamesTheNumberThatCannotBeRight) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint_about({.rate = -0.1}),
            "the learning rate is -0.1; it must be a number that is not negative");
  EXPECT_THAT(complaint_about({.rate = kNan}), HasSubstr("the learning rate is nan"));
  EXPECT_THAT(complaint_about({.weight_decay = std::numeric_limits<double>::infinity()}),
              HasSubstr("the weight decay is inf"));
  for (const double momentum : {0.0, 1.0, -0.5, kNan}) {
    EXPECT_THAT(complaint_about({.kind = RuleKind::kMomentum, .momentum = momentum}),
                HasSubstr("the momentum is"));
    EXPECT_THAT(complaint_about({.kind = RuleKind::kNesterov, .momentum = momentum}),
                HasSubstr("the momentum is"));
  }
  for (const RuleKind kind : {RuleKind::kAdam, RuleKind::kAdamW}) {
    EXPECT_THAT(complaint_about({.kind = kind, .beta1 = 1}), HasSubstr("beta1 is 1"));
    EXPECT_THAT(complaint_about({.kind = kind, .beta2 = kNan}), HasSubstr("beta2 is nan"));
    EXPECT_THAT(complaint_about({.kind = kind, .epsilon = 0}), HasSubstr("epsilon is 0"));
    EXPECT_THAT(complaint_about({.kind = kind, .epsilon = 1e-60}), HasSubstr("epsilon is 1e-60"));
  }
}

TEST(RuleCheck, NamesTheNumberOfATensorsRuleThatCannotBeRight) {
  EXPECT_EQ(complaint_about({.kind = RuleKind::kLars, .momentum = 1}),
            "the momentum is 1; it must be more than 0 and less than 1");
  EXPECT_THAT(complaint_about({.kind = RuleKind::kLars, .trust = -1}),
              HasSubstr("the trust coefficient is -1"));
  EXPECT_THAT(complaint_about({.kind = RuleKind::kLamb, .phi_least = -1}), HasSubstr("(phi_least) is -1"));
  EXPECT_EQ(complaint_about({.kind = RuleKind::kLamb, .phi_least = 3, .phi_most = 2}),
            "the greatest norm of weights (phi_most) is 2; it must be a positive number, at least 3");
  EXPECT_THAT(complaint_about({.kind = RuleKind::kLamb, .phi_most = 0}), HasSubstr("(phi_most) is 0"));
  EXPECT_EQ(complaint_about({.kind = RuleKind::kLamb, .phi_most = std::numeric_limits<double>::infinity()}),
            "");
  EXPECT_THAT(complaint_about({.kind = RuleKind::kMuon, .vector_rate = -1}),
              HasSubstr("the factor of the rate for vectors is -1"));
  EXPECT_THAT(complaint_about({.kind = RuleKind::kLion, .beta2 = 1}), HasSubstr("beta2 is 1"));
  EXPECT_THAT(complaint_about({.kind = RuleKind::kSteepestLp, .p = 1}), HasSubstr("p of steepest:lp is 1"));
}

TEST(RuleCheck, LooksOnlyAtTheNumbersThatTheKindUses) {
  EXPECT_EQ(complaint_about({.kind = RuleKind::kSgd, .momentum = 7, .beta1 = 7, .epsilon = -1}), "");
  EXPECT_EQ(complaint_about({.kind = RuleKind::kAdam, .momentum = 7}), "");
}

}  // namespace
}  // namespace trireme::optim
