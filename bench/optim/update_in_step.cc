// The update of the weights in the steps of a training, against the loop of the rule alone:
//
//   trireme launch -n 2 -- update_in_step [RULE [STEPS]]
//
// Each worker trains an mlp of 784-512-256-10. Every other step is one of the Exchange, which says how long
// its update took. In the steps between, the Exchange averages, and the worker runs the bare loop itself: on
// the same weights and the same gradients, so with the same of it in caches and the other worker as busy. It
// runs the loop once more at once, when all of it is in a near cache. A figure is the median over the steps.
#include <fmt/format.h>
#include <trireme/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "optim/rule.h"

namespace {

constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kWarmUpSteps = 20;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::span<float> numbers_of(const torch::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

torch::nn::Sequential make_mlp() {
  using namespace torch::nn;
  return Sequential(Linear(784, 512), ReLU(), Linear(512, 256), ReLU(), Linear(256, 10));
}

/// The loops of a rule for all parameters, one after the other, with a state of their own.
class BareRule {
 public:
  BareRule(const trireme::RuleSpec& spec, std::vector<torch::Tensor> parameters)
      : rate_(spec.rate), parameters_(std::move(parameters)) {
    for (const torch::Tensor& parameter : parameters_)
      rules_.emplace_back(spec, trireme::optim::vector_of(parameter.numel()));
  }
  /// In seconds.
  double step() {
    const Clock::time_point start = Clock::now();
    ++number_;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      rules_[i].apply(numbers_of(parameters_[i]), numbers_of(parameters_[i].grad()), 0,
                      {.number = number_, .rate = rate_});
    }
    return seconds_since(start);
  }

 private:
  double rate_;
  std::int64_t number_ = 0;
  std::vector<torch::Tensor> parameters_;
  std::vector<trireme::optim::UpdateRule> rules_;
};

void train(trireme::World& world, const trireme::RuleSpec& rule, std::int64_t steps) {
  torch::set_num_threads(1);
  torch::manual_seed(1 + world.rank());
  torch::nn::Sequential net = make_mlp();
  trireme::Exchange exchange(world, *net);
  BareRule bare(rule, net->parameters());
  std::vector<double> updates;
  std::vector<double> loops;
  std::vector<double> near;
  for (std::int64_t step = -kWarmUpSteps; step < steps; ++step) {
    const torch::Tensor scores = net->forward(torch::randn({kBatch, 784}));
    torch::nn::functional::cross_entropy(scores, torch::randint(10, {kBatch})).backward();
    if (step % 2 == 0) {
      const double before = exchange.traffic().update_s;
      exchange.step(rule);
      if (step >= 0) updates.push_back(exchange.traffic().update_s - before);
      continue;
    }
    exchange.average();
    const double loop = bare.step();
    const double again = bare.step();
    for (const torch::Tensor& parameter : net->parameters()) parameter.grad().zero_();
    if (step < 0) continue;
    loops.push_back(loop);
    near.push_back(again);
  }
  exchange.finish();
  fmt::print(
      "{{\"rank\":{},\"rule\":\"{}\",\"update_ms\":{:.3f},\"loop_ms\":{:.3f},\"loop_again_ms\":{:.3f},"
      "\"ratio\":{:.2f},\"ratio_of_means\":{:.2f}}}\n",
      world.rank(), trireme::name(rule), 1e3 * median(updates), 1e3 * median(loops), 1e3 * median(near),
      median(updates) / median(loops), mean(updates) / mean(loops));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const trireme::RuleSpec rule = trireme::parse_rule(argc > 1 ? argv[1] : "momentum");
    const std::int64_t steps = argc > 2 ? std::atoll(argv[2]) : 1000;
    if (steps < 2) {
      fmt::print(stderr, "trireme launch -n 2 -- update_in_step [RULE [STEPS]]: at least 2 steps\n");
      return 2;
    }
    trireme::World world = trireme::join(argc, argv);
    train(world, rule, steps);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "update_in_step: {}\n", error.what());
    return 1;
  }
}
