#include "trainer/models.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "train/model_shape.h"

namespace trireme::trainer {
namespace {

std::int64_t parameters_in(const torch::nn::Sequential& net) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : net->parameters()) count += parameter.numel();
  return count;
}

torch::nn::Sequential model(train::ModelKind kind, const std::vector<std::int64_t>& shape,
                            std::uint64_t seed = 1) {
  train::TrainConfig::Model model;
  model.kind = kind;
  return make_model(model, shape, 10, seed);
}

TEST(Models, HaveTheParametersThatTheirDescriptionsSay) {
  EXPECT_EQ(parameters_in(model(train::ModelKind::kLinear, {1, 28, 28})), 785 * 10);
  EXPECT_EQ(parameters_in(model(train::ModelKind::kMlp, {1, 28, 28})), 785 * 512 + 513 * 256 + 257 * 10);
  EXPECT_EQ(parameters_in(model(train::ModelKind::kCnn, {1, 28, 28})),
            10 * 32 + (32 * 9 + 1) * 64 + (64 * 49 + 1) * 128 + 129 * 10);
}

TEST(Models, HaveTheParametersThatAreKnownBeforehand) {
  for (const train::ModelKind kind :
       {train::ModelKind::kLinear, train::ModelKind::kMlp, train::ModelKind::kCnn}) {
    train::TrainConfig::Model model;
    model.kind = kind;
    const std::vector<std::int64_t> shape = {3, 9, 6};
    const torch::nn::Sequential net = make_model(model, shape, 7, 1);
    EXPECT_EQ(parameters_in(net), train::parameters_of(model, shape, 7));
    std::vector<train::ModelTensor> tensors;
    for (const auto& parameter : net->named_parameters()) {
      tensors.push_back({parameter.key(), parameter.value().sizes().vec()});
    }
    EXPECT_EQ(train::tensors_of(model, shape, 7), tensors);
  }
}

TEST(Models, GiveANumberForEachClass) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1, 28, 28}, {3, 5, 7}}) {
    for (const train::ModelKind kind :
         {train::ModelKind::kLinear, train::ModelKind::kMlp, train::ModelKind::kCnn}) {
      const torch::Tensor input = torch::ones({2, shape[0], shape[1], shape[2]});
      EXPECT_EQ(model(kind, shape)->forward(input).sizes(), (std::vector<std::int64_t>{2, 10}));
    }
  }
  EXPECT_EQ(model(train::ModelKind::kMlp, {20})->forward(torch::ones({2, 20})).sizes(),
            (std::vector<std::int64_t>{2, 10}));
}

TEST(Models, DependOnTheSeedAlone) {
  const std::string digest = digest_of_weights(*model(train::ModelKind::kCnn, {1, 28, 28}, 3));
  EXPECT_EQ(digest_of_weights(*model(train::ModelKind::kCnn, {1, 28, 28}, 3)), digest);
  EXPECT_NE(digest_of_weights(*model(train::ModelKind::kCnn, {1, 28, 28}, 4)), digest);
}

TEST(Models, AreTheSameInThreadsThatMakeThemAtOnce) {
  std::vector<std::string> digests(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& digest : digests) {
      threads.emplace_back([&] { digest = digest_of_weights(*model(train::ModelKind::kMlp, {1, 28, 28})); });
    }
  }
  for (const std::string& digest : digests) EXPECT_EQ(digest, digests[0]);
}

}  // namespace
}  // namespace trireme::trainer
