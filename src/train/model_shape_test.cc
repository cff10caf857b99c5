#include "train/model_shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "data/data_test_util.h"

namespace trireme::train {
namespace {

std::string refusal(ModelKind kind, const std::vector<std::int64_t>& shape) {
  return data::refusal_of([&] {
    TrainConfig::Model model;
    model.kind = kind;
    require_fit(model, shape);
    return 0;
  });
}

TEST(ModelShape, OfCnnIsAnImage) {
  EXPECT_EQ(refusal(ModelKind::kCnn, {1, 28, 28}), "accepted");
  EXPECT_EQ(refusal(ModelKind::kCnn, {3, 4, 5}), "accepted");
  EXPECT_EQ(refusal(ModelKind::kCnn, {20}),
            "the model cnn takes images of channels × height × width, of at least 4 × 4 pixels, and a sample "
            "here is 20; take the model mlp or linear, or other data");
  EXPECT_NE(refusal(ModelKind::kCnn, {1, 28, 3}), "accepted");
}

TEST(ModelShape, OfTheOthersIsAny) {
  EXPECT_EQ(refusal(ModelKind::kLinear, {20}), "accepted");
  EXPECT_EQ(refusal(ModelKind::kMlp, {1, 28, 28}), "accepted");
}

}  // namespace
}  // namespace trireme::train
