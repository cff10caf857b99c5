// Update rules in steps of an exchange: the same bits whoever updates, and where they lead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <mutex>

#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"
#include "plan/strategies/strategies.h"

namespace trireme::libtorch {
namespace {

using testing::HasSubstr;

using Body = std::function<void(World&, Exchange&, torch::nn::Sequential&)>;

// Workers train a net; ranks after them serve.
void train(exec::Fabric fabric, Rank workers, const ExchangeOptions& options,
           const std::function<torch::nn::Sequential(Rank)>& make_net, const Body& body) {
  on_workers(fabric, workers + options.servers, [&](World& world) {
    torch::nn::Sequential net = make_net(world.rank());
    if (world.rank() >= workers) return serve(world, *net, options);
    Exchange exchange(world, *net, options);
    body(world, exchange, net);
  });
}

// Every kind of rule, and steepest descent over the whole model too.
std::vector<RuleSpec> all_rules() {
  std::vector<RuleSpec> rules;
  for (const RuleKind kind : all_rule_kinds()) {
    RuleSpec rule = default_rule(kind);
    rule.rate = 0.01;
    rule.weight_decay = 0.01;
    rules.push_back(rule);
    if (!name(kind).starts_with("steepest:")) continue;
    rule.whole_model = true;
    rules.push_back(rule);
  }
  return rules;
}

std::string trained(exec::Fabric fabric, Rank workers, const ExchangeOptions& options, const RuleSpec& rule) {
  std::string weights;
  std::mutex mutex;
  train(fabric, workers, options, net_of, [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
    for (int step = 0; step < 4; ++step) {
      RuleSpec now = rule;
      now.rate = rule.rate / (1 + step);
      loss_of(net, input_of(world.rank() + step)).backward();
      exchange.step(now);
    }
    const Exchange::Traffic traffic = exchange.job_traffic();
    EXPECT_EQ(traffic.messages, traffic.messages_planned);
    EXPECT_EQ(traffic.bytes, traffic.bytes_planned);
    const std::lock_guard lock(mutex);
    if (weights.empty()) weights = weights_of(net);
    EXPECT_EQ(weights_of(net), weights);
  });
  return weights;
}

// In buckets of 64 bytes each tensor is alone, so that there are more servers than tensors. Bits depend on
// the buckets, since these decide which gradient is in which chunk.
void expect_same_bits(Rank workers, std::size_t bucket_bytes, const RuleSpec& rule) {
  const std::string expected =
      trained(exec::Fabric::kThreads, workers, {.strategy = "ring", .bucket_bytes = bucket_bytes}, rule);
  const auto expect_same = [&](exec::Fabric fabric, const std::string& strategy, Rank servers) {
    const ExchangeOptions options{
        .strategy = strategy, .servers = servers, .bucket_bytes = bucket_bytes, .whole_tensors = true};
    EXPECT_TRUE(trained(fabric, workers, options, rule) == expected)
        << name(rule) << (rule.whole_model ? ", whole model, " : ", ") << strategy << ", " << workers
        << " workers, " << servers << " servers, buckets of " << bucket_bytes;
  };
  expect_same(exec::Fabric::kShmThreads, "all-to-all", 0);
  for (Rank servers = 0; servers <= 3; ++servers) {
    expect_same(servers % 2 == 0 ? exec::Fabric::kShmThreads : exec::Fabric::kThreads, "parameter-server",
                servers);
  }
}

TEST(Rules, GiveTheSameBitsOnWorkersAndOnServers) {
  for (const RuleSpec& rule : all_rules()) {
    for (Rank workers = 1; workers <= 4; ++workers) {
      for (const std::size_t bucket_bytes : {std::size_t{64}, std::size_t{1} << 20}) {
        expect_same_bits(workers, bucket_bytes, rule);
      }
    }
  }
}

TEST(Rules, GiveTheSameBitsWithClippedGradients) {
  for (const RuleSpec& rule : all_rules()) {
    std::string expected;
    for (const char* strategy : {"ring", "parameter-server"}) {
      const std::string found = trained(
          exec::Fabric::kThreads, 3, {.strategy = strategy, .clip_norm = 0.01, .whole_tensors = true}, rule);
      if (expected.empty()) expected = found;
      EXPECT_TRUE(found == expected) << name(rule);
    }
  }
}

// A server's own part of a sum over shares is counted, too.
TEST(Rules, ThatNeedNormsHaveTheirExchangeInThePlan) {
  RuleSpec rule = default_rule(RuleKind::kSteepestLinf);
  std::int64_t without = 0;
  for (const bool whole_model : {false, true}) {
    rule.whole_model = whole_model;
    train(exec::Fabric::kTcpThreads, 3, {.strategy = "parameter-server", .servers = 2, .whole_tensors = true},
          net_of, [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
            loss_of(net, input_of(world.rank())).backward();
            exchange.step(rule);
            const Exchange::Traffic traffic = exchange.job_traffic();
            EXPECT_EQ(traffic.messages, traffic.messages_planned);
            if (world.rank() > 0) return;
            if (!whole_model) without = traffic.messages;
            EXPECT_EQ(traffic.messages, without + (whole_model ? 5 * 4 : 0)) << "all-to-all among 5 nodes";
          });
  }
}

TEST(Rules, ThatNeedWholeTensorsSaySo) {
  for (const bool in_group : {false, true}) {
    on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
      torch::nn::Sequential net = net_of(0);
      ExchangeOptions options{.strategy = "parameter-server"};
      if (in_group) options.groups = {{.match = "2.weight", .rule = default_rule(RuleKind::kLamb)}};
      Exchange exchange(world, *net, options);
      loss_of(net, input_of(0)).backward();
      try {
        exchange.step(default_rule(in_group ? RuleKind::kSgd : RuleKind::kMuon));
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(in_group ? "lamb needs the whole of 2.weight"
                                                     : "muon needs the whole of 0.weight"));
        EXPECT_THAT(error.what(), HasSubstr("set ExchangeOptions::whole_tensors"));
      }
    });
  }
}

// 100 steps by exchange.step on two workers and by an optimizer of libtorch on the same batches.
void expect_like(
    const RuleSpec& rule,
    const std::function<std::unique_ptr<torch::optim::Optimizer>(const std::vector<torch::Tensor>&)>& make) {
  train(
      exec::Fabric::kShmThreads, 2, {}, [](Rank) { return net_of(0); },
      [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
        torch::nn::Sequential twin = net_of(0);
        const std::unique_ptr<torch::optim::Optimizer> optimizer = make(twin->parameters());
        for (int step = 0; step < 100; ++step) {
          loss_of(net, input_of(world.rank() + step % 7)).backward();
          exchange.step(rule);
          optimizer->zero_grad();
          (loss_of(twin, input_of(step % 7)) + loss_of(twin, input_of(1 + step % 7))).div(2).backward();
          optimizer->step();
        }
        for (std::size_t i = 0; i < net->parameters().size(); ++i) {
          EXPECT_TRUE(torch::allclose(net->parameters()[i], twin->parameters()[i], 1e-4, 1e-6))
              << name(rule) << ", parameter " << i << "\n"
              << net->parameters()[i] << "\n"
              << twin->parameters()[i];
        }
      });
}

TEST(Rules, FollowTheOptimizersOfLibtorchFor100Steps) {
  using Tensors = std::vector<torch::Tensor>;
  for (const double decay : {0.0, 0.01}) {
    const auto rule_of = [&](RuleKind kind) {
      RuleSpec rule = default_rule(kind);
      rule.weight_decay = decay;
      return rule;
    };
    const auto sgd = [&](double momentum, bool nesterov) {
      return [=](const Tensors& tensors) {
        return std::make_unique<torch::optim::SGD>(
            tensors,
            torch::optim::SGDOptions(0.01).momentum(momentum).nesterov(nesterov).weight_decay(decay));
      };
    };
    expect_like(rule_of(RuleKind::kSgd), sgd(0, false));
    expect_like(rule_of(RuleKind::kMomentum), sgd(0.9, false));
    expect_like(rule_of(RuleKind::kNesterov), sgd(0.9, true));
    expect_like(rule_of(RuleKind::kAdam), [&](const Tensors& tensors) {
      return std::make_unique<torch::optim::Adam>(tensors,
                                                  torch::optim::AdamOptions(0.001).weight_decay(decay));
    });
    expect_like(rule_of(RuleKind::kAdamW), [&](const Tensors& tensors) {
      return std::make_unique<torch::optim::AdamW>(tensors,
                                                   torch::optim::AdamWOptions(0.001).weight_decay(decay));
    });
  }
}

// One equation, a·θ = 1 with a = (1, 0.1, 0.01), whose loss is (1 − a·θ)², as in case 7 of the facts. Workers
// have it times 1, 1/2, 1/4 and 1/8, so that their gradients differ.
class Equation {
 public:
  explicit Equation(std::vector<float> features) : features_(std::move(features)) {}

  [[nodiscard]] static torch::nn::Sequential model(Rank) {
    torch::nn::Linear linear(torch::nn::LinearOptions(3, 1).bias(false));
    torch::nn::init::zeros_(linear->weight);
    return torch::nn::Sequential(linear);
  }
  [[nodiscard]] torch::Tensor loss(torch::nn::Sequential& net, Rank rank) const {
    const double factor = std::ldexp(1, -rank);
    const torch::Tensor input = torch::tensor(features_).reshape({1, 3}).mul(factor);
    return net->forward(input).sub(factor).square().sum();
  }
  [[nodiscard]] double residual(const torch::nn::Sequential& net) const {
    return 1 - net->parameters()[0].detach().reshape({3}).dot(torch::tensor(features_)).item<double>();
  }

 private:
  std::vector<float> features_;
};

// The rate of the next step, from the residual; 0 ends it.
using Rate = std::function<double(double residual)>;

std::vector<float> limit(const Equation& equation, Rank workers, const ExchangeOptions& options,
                         const RuleSpec& rule, const std::function<Rate()>& make_rate) {
  std::vector<float> found;
  train(exec::Fabric::kThreads, workers, options, Equation::model,
        [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
          const Rate rate = make_rate();
          RuleSpec now = rule;
          while ((now.rate = rate(equation.residual(net))) > 0) {
            equation.loss(net, world.rank()).backward();
            exchange.step(now);
          }
          if (world.rank() > 0) return;
          const torch::Tensor weights = net->parameters()[0].detach().contiguous();
          found.assign(weights.data_ptr<float>(), weights.data_ptr<float>() + weights.numel());
        });
  return found;
}

// A steady rate, for as many steps as bring the residual below the precision of float32.
Rate steady(double rate) {
  return [rate, steps = 0](double) mutable { return ++steps <= 40 ? rate : 0; };
}

// Each change of the residual's sign halves the rate.
Rate halving() {
  return [rate = 0.5, before = 1.0](double residual) mutable {
    if (residual * before < 0) rate /= 2;
    before = residual;
    return residual == 0 || rate < 1e-8 ? 0 : rate;
  };
}

void expect_limits(Rank workers, const ExchangeOptions& options) {
  const auto expect = [&](const std::vector<float>& found, const std::vector<double>& expected,
                          const char* what) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.at(i), expected[i], 1e-6 * expected[i])
          << what << ", " << options.strategy << ", " << workers << " workers, " << options.servers
          << " servers";
    }
  };
  double mean_square = 0;
  for (Rank rank = 0; rank < workers; ++rank) mean_square += std::ldexp(1, -2 * rank) / workers;
  const Equation equation({1, 0.1F, 0.01F});
  const double rate = 0.4 / mean_square;
  expect(limit(equation, workers, options, default_rule(RuleKind::kSgd), [&] { return steady(rate); }),
         {10000.0 / 10101, 1000.0 / 10101, 100.0 / 10101}, "sgd: the least L2 norm");
  expect(limit(equation, workers, options, default_rule(RuleKind::kSignSgd), halving),
         {100.0 / 111, 100.0 / 111, 100.0 / 111}, "signs: the least L-infinity norm");
  // Features of unit second moment; divided by a afterwards it is (1/3, 10/3, 100/3).
  expect(limit(Equation({1, 1, 1}), workers, options, default_rule(RuleKind::kSgd),
               [&] { return steady(rate / 3); }),
         {1.0 / 3, 1.0 / 3, 1.0 / 3}, "rescaled features");
}

TEST(Rules, LeadToTheLimitsOfCase7OfTheFacts) {
  for (const Rank workers : {1, 2, 4}) {
    for (const plan::Strategy strategy : plan::all_strategies()) {
      ExchangeOptions options{.strategy = std::string(plan::name(strategy))};
      expect_limits(workers, options);
      if (strategy != plan::Strategy::kParameterServer) continue;
      for (options.servers = 1; options.servers <= 2; ++options.servers) expect_limits(workers, options);
    }
  }
}

}  // namespace
}  // namespace trireme::libtorch
