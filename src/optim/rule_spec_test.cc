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

TEST(RuleCheck, LooksOnlyAtTheNumbersThatTheKindUses) {
  EXPECT_EQ(complaint_about({.kind = RuleKind::kSgd, .momentum = 7, .beta1 = 7, .epsilon = -1}), "");
  EXPECT_EQ(complaint_about({.kind = RuleKind::kAdam, .momentum = 7}), "");
}

}  // namespace
}  // namespace trireme::optim
