// Trainings in which workers do not wait for all others, with gradients that are known: whatever the order of
// updates, plain sgd by numbers of few bits ends in the same weights.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <functional>
#include <string>

#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {

/// Two servers cut the weight. Its elements begin as 0, 1, 2, …
struct Slope : torch::nn::Module {
  explicit Slope(std::int64_t elements = 40) {
    weight = register_parameter("weight", torch::arange(elements, torch::kFloat32));
    bias = register_parameter("bias", torch::zeros({5}));
  }
  /// All elements get this gradient.
  void backward(double gradient) { ((weight.sum() + bias.sum()) * gradient).backward(); }
  /// How far every element has moved down; a complaint if they do not agree.
  [[nodiscard]] double moved() const {
    const torch::Tensor down = torch::arange(weight.numel(), torch::kFloat32) - weight.detach();
    const auto first = down[0].item<double>();
    EXPECT_TRUE((down == first).all().item<bool>()) << down;
    EXPECT_TRUE((bias == -first).all().item<bool>()) << bias;
    return first;
  }

  torch::Tensor weight;
  torch::Tensor bias;
};

/// Rates are divided by nothing.
inline ExchangeOptions freely(const std::string& mode, Rank servers = 1) {
  return {.strategy = "parameter-server", .servers = servers, .mode = mode, .staleness_rate = "none"};
}

inline RuleSpec plain_sgd(double rate = 0.125) {
  RuleSpec rule = default_rule(RuleKind::kSgd);
  rule.rate = rate;
  return rule;
}

/// The first ranks work, and the others serve.
template <typename Net>
void train_freely(exec::Fabric fabric, Rank workers, const ExchangeOptions& options,
                  const std::function<void(World&, Exchange&, Net&)>& body) {
  on_workers(fabric, workers + options.servers, [&](World& world) {
    Net net;
    if (world.rank() >= workers) return serve(world, net, options);
    Exchange exchange(world, net, options);
    body(world, exchange, net);
  });
}

}  // namespace trireme::libtorch
