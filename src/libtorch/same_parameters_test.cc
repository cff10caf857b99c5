#include "libtorch/same_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <functional>
#include <string>

#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kLayers = 60;  // so many that their list is long

torch::nn::Sequential layers(int count, std::int64_t last_outputs = 4) {
  torch::nn::Sequential net;
  for (int i = 0; i + 1 < count; ++i) net->push_back(torch::nn::Linear(4, 4));
  net->push_back(torch::nn::Linear(4, last_outputs));
  return net;
}

using NetOf = std::function<torch::nn::Sequential(Rank rank)>;

void expect_told(Rank workers, const NetOf& net_of, const std::string& difference,
                 std::optional<Rank> culprit) {
  for (const exec::Fabric fabric :
       {exec::Fabric::kThreads, exec::Fabric::kShmThreads, exec::Fabric::kTcpThreads}) {
    on_workers(fabric, workers, [&](World& world) {
      torch::nn::Sequential net = net_of(world.rank());
      try {
        const Exchange exchange(world, *net);
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("the models differ: " + difference + ";")) << exec::name(fabric);
        EXPECT_EQ(error.failure().culprit, culprit);
      }
    });
  }
}

TEST(SameParameters, AShapeThatDiffersIsToldWithNameAndRanks) {
  expect_told(
      2, [](Rank rank) { return layers(kLayers, rank == 0 ? 4 : 5); },
      "59.weight is [4, 4] Float on rank 0 and [5, 4] Float on rank 1", std::nullopt);
}

TEST(SameParameters, TheOneThatDiffersFromMostIsBlamed) {
  expect_told(
      3, [](Rank rank) { return layers(kLayers, rank == 1 ? 5 : 4); },
      "59.weight is [4, 4] Float on ranks 0 and 2 and [5, 4] Float on rank 1", 1);
}

TEST(SameParameters, ThoseThatSomeLackAreTold) {
  expect_told(
      2, [](Rank rank) { return layers(kLayers + rank); },
      "parameter 121 is missing on rank 0 and 60.weight [4, 4] Float on rank 1", std::nullopt);
}

TEST(SameParameters, OtherNamesAreToldByTheirPlace) {
  const auto without_bias = [](Rank rank) {
    return torch::nn::Sequential(torch::nn::Linear(torch::nn::LinearOptions(4, 4).bias(rank == 0)),
                                 torch::nn::Linear(4, 4));
  };
  expect_told(2, without_bias,
              "parameter 2 is 0.bias [4] Float on rank 0 and 1.weight [4, 4] Float on rank 1", std::nullopt);
}

TEST(SameParameters, ThoseThatAreFrozenAreTold) {
  const auto frozen_on_1 = [](Rank rank) {
    torch::nn::Sequential net = layers(2);
    net->parameters()[2].set_requires_grad(rank != 1);
    return net;
  };
  expect_told(2, frozen_on_1, "1.weight is [4, 4] Float on rank 0 and [4, 4] Float frozen on rank 1",
              std::nullopt);
}

TEST(SameParameters, OtherOptionsAreToldInWords) {
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    torch::nn::Sequential net = layers(kLayers);
    ExchangeOptions options;
    if (world.rank() == 1) options.buffers = ExchangeOptions::Buffers::kAverage;
    try {
      const Exchange exchange(world, *net, options);
      ADD_FAILURE() << "no complaint";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("4194304 bytes, buffers of rank 0, clipped at 0"));
      EXPECT_THAT(error.what(), HasSubstr("4194304 bytes, averaged buffers, clipped at 0"));
      EXPECT_THAT(error.what(), Not(HasSubstr("the models differ")));
    }
  });
}

}  // namespace
}  // namespace trireme::libtorch
