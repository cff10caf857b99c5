// Parameters of every kind in modes other than sync: frozen, unused, not contiguous, sparse, of other types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "api/world_test_util.h"
#include "libtorch/exchange_access.h"
#include "libtorch/free_test_util.h"

namespace trireme::libtorch {
namespace free_parameters {

constexpr Rank kWorkers = 2;

struct ThreeWeights : torch::nn::Module {
  ThreeWeights() {
    for (torch::Tensor* weight : {&used, &frozen, &unused}) {
      *weight = register_parameter(names[static_cast<std::size_t>(weight - &used)], torch::ones({7}));
    }
    frozen.set_requires_grad(false);
  }

  std::array<std::string, 3> names = {"used", "frozen", "unused"};
  torch::Tensor used, frozen, unused;
};

using Body = std::function<void(World&, Exchange&, ThreeWeights&)>;

void train(const Body& body, const ExchangeOptions& options = freely("async", 2)) {
  train_freely<ThreeWeights>(exec::Fabric::kShmThreads, kWorkers, options, body);
}

void meet(Exchange& exchange) {
  std::array<double, 1> none{0};
  exchange.sum(none);
}

RuleSpec that_moves_by_itself() {
  RuleSpec rule = default_rule(RuleKind::kMomentum);
  rule.rate = 0.125;
  rule.momentum = 0.5;
  rule.weight_decay = 0.25;
  return rule;
}

TEST(FreeParameters, WithoutAGradientDoNotMove) {
  for (const char* mode : {"async", "ssp:1", "backup:1"}) {
    train(
        [](World&, Exchange& exchange, ThreeWeights& net) {
          for (int step = 0; step < 5; ++step) {
            net.used.sum().backward();
            exchange.step(that_moves_by_itself());
          }
          exchange.finish();
          EXPECT_LT(net.used[0].item<double>(), 1);
          EXPECT_TRUE(net.frozen.equal(torch::ones({7})));
          EXPECT_TRUE(net.unused.equal(torch::ones({7})));
        },
        freely(mode, 2));
  }
}

// Momentum would move them on.
TEST(FreeParameters, ThatHadAGradientOnceStayWhereTheyAre) {
  train([](World&, Exchange& exchange, ThreeWeights& net) {
    (net.used.sum() + net.unused.sum()).backward();
    exchange.step(that_moves_by_itself());
    meet(exchange);
    const torch::Tensor before = net.unused.detach().clone();
    EXPECT_LT(before[0].item<double>(), 1);
    for (int step = 0; step < 3; ++step) {
      net.used.sum().backward();
      exchange.step(that_moves_by_itself());
    }
    exchange.finish();
    EXPECT_TRUE(net.unused.equal(before));
  });
}

TEST(FreeParameters, WithZerosOfTheProgramHaveAGradient) {
  train([](World&, Exchange& exchange, ThreeWeights& net) {
    net.used.sum().backward();
    net.unused.mutable_grad() = torch::zeros({7});
    exchange.step(that_moves_by_itself());
    exchange.finish();
    EXPECT_LT(net.unused[0].item<double>(), 1) << "weight decay";
  });
}

TEST(FreeParameters, MoveWhenTheyAreUnfrozen) {
  train([](World&, Exchange& exchange, ThreeWeights& net) {
    net.used.sum().backward();
    exchange.step(plain_sgd());
    net.frozen.set_requires_grad(true);
    net.used.set_requires_grad(false);
    net.frozen.sum().backward();
    exchange.step(plain_sgd());
    exchange.finish();
    EXPECT_TRUE(net.frozen.detach().equal(torch::full({7}, 1 - 0.125 * kWorkers)));
    EXPECT_TRUE(net.used.detach().equal(torch::full({7}, 1 - 0.125 * kWorkers)));
  });
}

// Such as the average of earlier weights that a program keeps in a copy of its model.
TEST(FreeParameters, ThatAreFrozenAreTheProgramsOwn) {
  train([](World&, Exchange& exchange, ThreeWeights& net) {
    for (int step = 0; step < 3; ++step) {
      net.frozen.mul_(2);
      net.used.sum().backward();
      exchange.step(plain_sgd());
    }
    meet(exchange);
    EXPECT_TRUE(net.frozen.equal(torch::full({7}, 8.0)));
  });
}

TEST(FreeParameters, MayBeUsedByOneWorkerAlone) {
  train([](World& world, Exchange& exchange, ThreeWeights& net) {
    (world.rank() == 0 ? net.used : net.unused).sum().backward();
    exchange.step(plain_sgd());
    exchange.finish();
    EXPECT_TRUE(net.used.detach().equal(torch::full({7}, 1 - 0.125)));
    EXPECT_TRUE(net.unused.detach().equal(torch::full({7}, 1 - 0.125)));
  });
}

// In a round it is the average over those that are in time; a worker without a gradient counts as zero.
TEST(FreeParameters, AreAveragedOverTheRound) {
  train_freely<ThreeWeights>(
      exec::Fabric::kShmThreads, 3, freely("backup:1"),
      [](World& world, Exchange& exchange, ThreeWeights& net) {
        if (world.rank() < 2) {
          (world.rank() == 0 ? net.used.sum() : net.used.sum() + net.unused.sum()).backward();
          exchange.step(plain_sgd());
        }
        exchange.finish();
        EXPECT_TRUE(net.used.detach().equal(torch::full({7}, 1 - 0.125)));
        EXPECT_TRUE(net.unused.detach().equal(torch::full({7}, 1 - 0.125 / 2)));
      });
}

TEST(FreeParameters, EndAlikeOnAllWorkersWhenTheyAreFrozenLater) {
  train([](World& world, Exchange& exchange, ThreeWeights& net) {
    ExchangeAccess::rounds(exchange).begin_phase(plain_sgd());
    (net.used.sum() + net.unused.sum()).backward();
    if (world.rank() == 1) exchange.workers().barrier();  // its gradient comes last
    exchange.step(plain_sgd());
    net.used.set_requires_grad(false);
    if (world.rank() == 0) exchange.workers().barrier();
    exchange.finish();
    EXPECT_TRUE(net.used.detach().equal(torch::full({7}, 1 - 0.125 * kWorkers)));
  });
}

struct Image : torch::nn::Module {
  Image() { weight = register_parameter("weight", torch::arange(48, torch::kFloat32).reshape({4, 3, 2, 2})); }
  // Each element gets a gradient of its own.
  void backward() { (weight * torch::arange(48, torch::kFloat32).reshape({4, 3, 2, 2})).sum().backward(); }

  torch::Tensor weight;
};

void expect_image_moves(const std::function<torch::Tensor(const torch::Tensor&)>& laid_out,
                        const ExchangeOptions& options) {
  on_workers(exec::Fabric::kShmThreads, kWorkers + options.servers, [&](World& world) {
    Image net;
    net.weight.set_data(laid_out(net.weight.detach()));
    const auto strides = net.weight.strides().vec();
    if (world.rank() >= kWorkers) return serve(world, net, options);
    Exchange exchange(world, net, options);
    for (int phase = 0; phase < 2; ++phase) {
      net.backward();
      exchange.step(plain_sgd());
      meet(exchange);
    }
    EXPECT_EQ(net.weight.strides().vec(), strides);
    EXPECT_TRUE(net.weight.detach().reshape({48}).equal(torch::arange(48, torch::kFloat32) *
                                                        (1 - 0.125 * 2 * kWorkers)));
  });
}

TEST(FreeParameters, MayHaveTheirChannelsLast) {
  const auto last = [](const torch::Tensor& weight) {
    return weight.contiguous(torch::MemoryFormat::ChannelsLast);
  };
  for (const char* mode : {"async", "ssp:1"}) expect_image_moves(last, freely(mode, 2));
}

TEST(FreeParameters, NeedNotBeContiguous) {
  const auto strided = [](const torch::Tensor& weight) {
    return torch::stack({weight, weight}, -1).select(-1, 0);
  };
  expect_image_moves(strided, freely("async", 2));
}

TEST(FreeParameters, MayGetOtherMemory) {
  train([](World&, Exchange& exchange, ThreeWeights& net) {
    net.used.set_data(torch::full({7}, 5.0));
    net.used.sum().backward();
    exchange.step(plain_sgd());
    meet(exchange);
    EXPECT_TRUE(net.used.detach().equal(torch::full({7}, 1 - 0.125 * kWorkers)))
        << "the servers' weights hold";
  });
}

struct Lookup : torch::nn::Module {
  Lookup() {
    table = register_module("table", torch::nn::Embedding(torch::nn::EmbeddingOptions(5, 3).sparse(true)));
    table->weight.detach().fill_(1);
  }
  torch::nn::Embedding table{nullptr};
};

TEST(FreeParameters, MayHaveSparseGradients) {
  for (const double clip : {0.0, 100.0}) {
    ExchangeOptions options = freely("async", 2);
    options.clip_norm = clip;
    train_freely<Lookup>(exec::Fabric::kShmThreads, kWorkers, options,
                         [](World&, Exchange& exchange, Lookup& net) {
                           for (int step = 0; step < 2; ++step) {
                             net.table->forward(torch::tensor({3})).sum().backward();
                             exchange.step(plain_sgd());
                           }
                           exchange.finish();
                           EXPECT_EQ(net.table->weight[3][0].item<double>(), 1 - 0.125 * 2 * kWorkers);
                           EXPECT_EQ(net.table->weight[2][0].item<double>(), 1);
                         });
  }
}

struct Tied : torch::nn::Module {
  Tied() {
    first = register_parameter("first", torch::zeros({3}));
    second = register_parameter("second", first);
  }
  torch::Tensor first, second;
};

TEST(FreeParameters, ThatAreTiedMoveOnce) {
  train_freely<Tied>(exec::Fabric::kShmThreads, kWorkers, freely("async"),
                     [](World&, Exchange& exchange, Tied& net) {
                       (net.first.sum() + net.second.sum()).backward();
                       exchange.step(plain_sgd());
                       exchange.finish();
                       EXPECT_EQ(net.first[0].item<double>(), -0.125 * kWorkers * 2);
                     });
}

struct Matrix : torch::nn::Module {
  Matrix() { weight = register_parameter("weight", torch::eye(4)); }
  torch::Tensor weight;
};

// More servers than tensors: one has nothing to do.
TEST(FreeParameters, MayNeedWholeTensors) {
  ExchangeOptions options = freely("async", 2);
  options.whole_tensors = true;
  train_freely<Matrix>(exec::Fabric::kTcpThreads, kWorkers, options,
                       [](World&, Exchange& exchange, Matrix& net) {
                         for (int step = 0; step < 3; ++step) {
                           net.weight.square().sum().backward();
                           exchange.step(default_rule(RuleKind::kMuon));
                         }
                         exchange.finish();
                         EXPECT_LT(net.weight[0][0].item<double>(), 1);
                       });
}

}  // namespace free_parameters
}  // namespace trireme::libtorch
