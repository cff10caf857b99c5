#include "optim/reach.h"

#include <gtest/gtest.h>

#include <vector>

namespace trireme::optim {
namespace {

TensorShape shape(const std::vector<std::int64_t>& sizes) { return shape_of(sizes); }

TEST(TensorShape, IsAMatrixFromTwoDimensionsOn) {
  EXPECT_EQ(shape({}), vector_of(1));
  EXPECT_EQ(shape({0}), vector_of(0));
  EXPECT_EQ(shape({7}), vector_of(7));
  EXPECT_EQ(shape({2, 3}), (TensorShape{2, 3, true}));
  EXPECT_EQ(shape({32, 16, 3, 3}), (TensorShape{32, 144, true}));
  EXPECT_EQ(shape({1, 1}), (TensorShape{1, 1, true}));
  EXPECT_EQ(shape({0, 5}).count(), 0);
  EXPECT_TRUE(shape({0, 5}).is_matrix);
}

TEST(Reach, DependsOnTheRuleTheShapeAndTheModel) {
  const TensorShape matrix = shape({4, 5});
  const TensorShape vector = shape({5});
  EXPECT_EQ(reach({.kind = RuleKind::kAdam}, matrix), Reach::kElement);
  EXPECT_EQ(reach({.kind = RuleKind::kSteepestL2, .whole_model = true}, matrix), Reach::kElement);
  EXPECT_EQ(reach({.kind = RuleKind::kLars}, vector), Reach::kTensor);
  EXPECT_EQ(reach({.kind = RuleKind::kLamb, .whole_model = true}, vector), Reach::kTensor);
  EXPECT_EQ(reach({.kind = RuleKind::kMuon}, matrix), Reach::kTensor);
  EXPECT_EQ(reach({.kind = RuleKind::kMuon}, vector), Reach::kElement);
  for (const RuleKind kind : {RuleKind::kSteepestLinf, RuleKind::kSteepestL1, RuleKind::kSteepestLp}) {
    EXPECT_EQ(reach({.kind = kind}, vector), Reach::kTensor);
    EXPECT_EQ(reach({.kind = kind, .whole_model = true}, vector), Reach::kModel);
  }
  EXPECT_EQ(reach({.kind = RuleKind::kSteepestSpectral}, matrix), Reach::kTensor);
  EXPECT_EQ(reach({.kind = RuleKind::kSteepestSpectral}, vector), Reach::kElement);
  EXPECT_EQ(reach({.kind = RuleKind::kSteepestSpectral, .whole_model = true}, vector), Reach::kModel);
}

TEST(RuleFor, IsAnotherWhereARuleForMatricesMeetsAVector) {
  const RuleSpec muon{.kind = RuleKind::kMuon, .rate = 2, .vector_rate = 0.25};
  EXPECT_EQ(rule_for(muon, shape({4, 5})), muon);
  EXPECT_EQ(rule_for(muon, shape({5})).kind, RuleKind::kAdamW);
  EXPECT_EQ(rule_for(muon, shape({5})).rate, 0.5);
  EXPECT_EQ(rule_for({.kind = RuleKind::kSteepestSpectral}, shape({5})).kind, RuleKind::kSteepestL2);
}

}  // namespace
}  // namespace trireme::optim
