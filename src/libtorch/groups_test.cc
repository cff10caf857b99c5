// Groups of parameters that a step updates in another way than the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <map>
#include <mutex>

#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

using testing::HasSubstr;
using Tensors = std::vector<torch::Tensor>;

constexpr int kSteps = 20;

// By steps of one worker alone, and by libtorch with weights and biases in groups of their own.
template <typename Optimizer, typename Options>
void expect_like_groups_of_libtorch(const RuleSpec& rule, const ExchangeOptions& options, Options weights,
                                    Options biases) {
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(0);
    torch::nn::Sequential twin = net_of(0);
    Exchange exchange(world, *net, options);
    Tensors of_weights;
    Tensors of_biases;
    for (const auto& parameter : twin->named_parameters()) {
      (parameter.key().ends_with("bias") ? of_biases : of_weights).push_back(parameter.value());
    }
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(of_weights, std::make_unique<Options>(weights));
    groups.emplace_back(of_biases, std::make_unique<Options>(biases));
    Optimizer optimizer(groups, weights);
    for (int step = 0; step < kSteps; ++step) {
      loss_of(net, input_of(step)).backward();
      exchange.step(rule);
      optimizer.zero_grad();
      loss_of(twin, input_of(step)).backward();
      optimizer.step();
    }
    for (std::size_t i = 0; i < net->parameters().size(); ++i) {
      EXPECT_TRUE(torch::allclose(net->parameters()[i], twin->parameters()[i], 1e-5, 1e-6))
          << name(rule) << ", parameter " << i;
    }
  });
}

TEST(Groups, AreThoseOfLibtorch) {
  RuleSpec rule = default_rule(RuleKind::kAdamW);
  rule.weight_decay = 0.3;
  const ExchangeOptions no_decay{.groups = {{.match = "*.bias", .weight_decay = 0}}};
  using torch::optim::AdamW;
  using torch::optim::AdamWOptions;
  expect_like_groups_of_libtorch<AdamW>(rule, no_decay, AdamWOptions(0.001).weight_decay(0.3),
                                        AdamWOptions(0.001).weight_decay(0));
  using torch::optim::SGD;
  using torch::optim::SGDOptions;
  for (const RuleKind kind : {RuleKind::kSgd, RuleKind::kMomentum}) {
    rule = default_rule(kind);
    rule.weight_decay = 0.3;
    const SGDOptions weights = SGDOptions(0.01).momentum(kind == RuleKind::kSgd ? 0 : 0.9).weight_decay(0.3);
    expect_like_groups_of_libtorch<SGD>(rule, no_decay, weights, SGDOptions(weights).weight_decay(0));
    expect_like_groups_of_libtorch<SGD>(rule, {.groups = {{.match = "*.bias", .rate_factor = 0.5}}}, weights,
                                        SGDOptions(weights).lr(0.005));
  }
}

// The weights after some steps, by parameter.
std::map<std::string, std::string> trained(ExchangeOptions options, const RuleSpec& rule) {
  constexpr Rank kWorkers = 3;
  std::map<std::string, std::string> found;
  std::mutex mutex;
  on_workers(exec::Fabric::kShmThreads, kWorkers + options.servers, [&](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    net->named_parameters()["0.weight"].set_requires_grad(false);
    if (world.rank() >= kWorkers) return serve(world, *net, options);
    Exchange exchange(world, *net, options);
    for (int step = 0; step < kSteps; ++step) {
      loss_of(net, input_of(world.rank() + step)).backward();
      exchange.step(rule);
    }
    const std::lock_guard lock(mutex);
    for (const auto& parameter : net->named_parameters()) {
      found[parameter.key()] = bytes_of({parameter.value()});
    }
  });
  return found;
}

// 0.weight is frozen.
TEST(Groups, GiveEachParameterTheLastRuleThatMatches) {
  const RuleSpec sgd = default_rule(RuleKind::kSgd);
  RuleSpec adam = default_rule(RuleKind::kAdam);
  RuleSpec slow = sgd;
  slow.rate /= 2;
  const std::vector<ParameterGroup> groups = {{.match = "*", .rule = adam, .rate_factor = 0.1},
                                              {.match = "2.*", .rule = sgd},
                                              {.match = "2.bias", .rate_factor = 0},
                                              {.match = "0.weight", .weight_decay = 0.5}};
  std::map<std::string, std::string> expected;
  for (ExchangeOptions options : {ExchangeOptions{.strategy = "ring"},
                                  {.strategy = "parameter-server"},
                                  {.strategy = "parameter-server", .servers = 2}}) {
    options.groups = groups;
    const auto found = trained(options, sgd);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << options.strategy << ", " << options.servers << " servers";
  }
  std::map<std::string, std::string> start;
  for (const auto& parameter : net_of(0)->named_parameters())
    start[parameter.key()] = bytes_of({parameter.value()});
  EXPECT_EQ(expected["0.weight"], start["0.weight"]);
  EXPECT_EQ(expected["2.bias"], start["2.bias"]);
  EXPECT_NE(expected["0.bias"], start["0.bias"]);
  EXPECT_NE(expected["2.weight"], start["2.weight"]);
}

std::string refusal(const std::vector<ParameterGroup>& groups) {
  std::string words;
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(0);
    try {
      const Exchange exchange(world, *net, {.groups = groups});
    } catch (const Error& error) {
      words = error.what();
    }
  });
  return words;
}

TEST(Groups, ThatMatchNothingAreRefused) {
  EXPECT_EQ(refusal({{.match = "*.bias"}}), "");
  EXPECT_THAT(refusal({{.match = "bias"}}),
              HasSubstr("the parameter group \"bias\" matches no parameter; the parameters are 0.weight, "
                        "0.bias, 2.weight, 2.bias"));
}

TEST(Groups, ThatDifferAreTold) {
  exec::run_on(exec::Fabric::kShmThreads, 2, [](wire::Wire& wire) {
    World world = world_on(wire);
    torch::nn::Sequential net = net_of(0);
    try {
      const Exchange exchange(world, *net,
                              {.groups = {{.match = "*.bias", .weight_decay = 0.1 * (1 + world.rank())}}});
      ADD_FAILURE() << "no complaint";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("group \"*.bias\" by the rule of the step, rate times 1, weight decay 0.2"));
    }
  });
}

}  // namespace
}  // namespace trireme::libtorch
