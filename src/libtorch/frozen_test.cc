// Parameters that are frozen, unfrozen or not used in a step: many workers do what a serial program does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/types.h"
#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"
#include "optim/rule_spec.h"

namespace trireme::libtorch {
namespace {

using testing::HasSubstr;
using Drive = ExchangeOptions::Drive;

constexpr std::size_t kBlocks = 4;
constexpr int kSteps = 12;

/// Linear layers beside each other, of which a step uses some.
struct Blocks : torch::nn::Module {
  Blocks() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      torch::nn::Linear block(3, static_cast<std::int64_t>(2 + i));
      const torch::NoGradGuard no_grad;
      std::int64_t number = 0;
      for (torch::Tensor& parameter : block->parameters()) {
        parameter.copy_(torch::arange(parameter.numel()).reshape(parameter.sizes()).add(++number).div(16));
      }
      blocks.push_back(register_module("block" + std::to_string(i), block));
    }
  }

  /// No number where nothing that is used is trained.
  [[nodiscard]] torch::Tensor loss(const std::vector<bool>& used, const torch::Tensor& input) {
    torch::Tensor sum = torch::zeros({});
    for (std::size_t i = 0; i < kBlocks; ++i) {
      if (used[i]) sum = sum + blocks[i]->forward(input).square().mean();
    }
    return sum;
  }

  void freeze(const std::vector<bool>& frozen) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      for (torch::Tensor& parameter : blocks[i]->parameters()) parameter.set_requires_grad(!frozen[i]);
    }
  }

  void zero(bool to_none) {
    for (torch::Tensor& parameter : parameters()) {
      if (to_none) parameter.mutable_grad().reset();
      if (parameter.grad().defined()) parameter.mutable_grad().zero_();
    }
  }

  std::vector<torch::nn::Linear> blocks;
};

void backward(const torch::Tensor& loss) {
  if (loss.requires_grad()) loss.backward();
}

torch::Tensor batch_of(Rank rank, int step) {
  return torch::arange(6, torch::kFloat32).reshape({2, 3}).add(1 + rank + step % 3).div(8);
}

enum class Zeroing { kToNone, kInPlace, kNot };

struct Turn {
  std::vector<bool> frozen;
  std::vector<std::vector<bool>> used;  // by worker
  Zeroing zeroing = Zeroing::kToNone;
};

// The steps of a job of so many workers.
std::vector<Turn> random_turns(unsigned seed, Rank workers) {
  std::mt19937 random(seed);
  const auto some = [&](unsigned of) {
    std::vector<bool> chosen(kBlocks);
    for (std::size_t i = 0; i < kBlocks; ++i) chosen[i] = random() % of == 0;
    return chosen;
  };
  std::vector<Turn> turns(kSteps);
  for (int step = 0; step < kSteps; ++step) {
    Turn& turn = turns[idx(step)];
    const bool same = step > 0 && random() % 2 == 0;
    turn.frozen = same ? turns[idx(step - 1)].frozen : some(3);
    for (Rank rank = 0; rank < workers; ++rank) turn.used.push_back(some(2));
    turn.zeroing = static_cast<Zeroing>(random() % 3);
  }
  return turns;
}

RuleSpec adamw() {
  RuleSpec rule = default_rule(RuleKind::kAdamW);
  rule.rate = 0.01;
  rule.weight_decay = 0.1;
  return rule;
}

torch::optim::AdamW optimizer_of(Blocks& net) {
  return torch::optim::AdamW(net.parameters(),
                             torch::optim::AdamWOptions(adamw().rate).weight_decay(adamw().weight_decay));
}

void zero(Blocks& net, Zeroing zeroing) {
  if (zeroing != Zeroing::kNot) net.zero(zeroing == Zeroing::kToNone);
}

// The program of one worker that has all batches.
std::vector<torch::Tensor> serial(const std::vector<Turn>& turns, Rank workers, bool by_steps) {
  Blocks net;
  torch::optim::AdamW optimizer = optimizer_of(net);
  for (int step = 0; step < kSteps; ++step) {
    const Turn& turn = turns[idx(step)];
    net.freeze(turn.frozen);
    by_steps ? net.zero(true) : zero(net, turn.zeroing);
    for (Rank rank = 0; rank < workers; ++rank) {
      backward(net.loss(turn.used[idx(rank)], batch_of(rank, step)) / workers);
    }
    optimizer.step();
  }
  return net.parameters();
}

std::vector<torch::Tensor> averaged(World& world, const std::vector<Turn>& turns,
                                    const ExchangeOptions& options) {
  Blocks net;
  net.freeze(turns[0].frozen);
  torch::optim::AdamW optimizer = optimizer_of(net);
  Exchange exchange(world, net, options);
  for (int step = 0; step < kSteps; ++step) {
    const Turn& turn = turns[idx(step)];
    net.freeze(turn.frozen);
    zero(net, turn.zeroing);
    backward(net.loss(turn.used[idx(world.rank())], batch_of(world.rank(), step)));
    exchange.average();
    optimizer.step();
  }
  EXPECT_EQ(exchange.traffic().bytes, exchange.traffic().bytes_planned);
  return net.parameters();
}

std::vector<torch::Tensor> stepped(World& world, const std::vector<Turn>& turns,
                                   const ExchangeOptions& options) {
  Blocks net;
  net.freeze(turns[0].frozen);
  if (world.rank() >= std::ssize(turns[0].used)) {
    serve(world, net, options);
    return {};
  }
  Exchange exchange(world, net, options);
  for (int step = 0; step < kSteps; ++step) {
    const Turn& turn = turns[idx(step)];
    net.freeze(turn.frozen);
    backward(net.loss(turn.used[idx(world.rank())], batch_of(world.rank(), step)));
    exchange.step(adamw());
  }
  const Exchange::Traffic traffic = exchange.job_traffic();
  EXPECT_EQ(traffic.bytes, traffic.bytes_planned);
  return net.parameters();
}

void expect_equal(const std::vector<torch::Tensor>& found, const std::vector<torch::Tensor>& expected,
                  const std::string& where) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-5, 1e-6))
        << where << ", parameter " << i << ": " << found[i] << expected[i];
  }
}

std::string in_words(exec::Fabric fabric, unsigned seed, Rank workers, const ExchangeOptions& options) {
  return std::string(exec::name(fabric)) + ", seed " + std::to_string(seed) + ", " + std::to_string(workers) +
         " workers, " + options.strategy + ", " + std::to_string(options.servers) + " servers, drive " +
         std::to_string(static_cast<int>(options.drive));
}

TEST(Frozen, OrUnusedParametersMoveAsInASerialProgramByAverages) {
  for (const exec::Fabric fabric :
       {exec::Fabric::kThreads, exec::Fabric::kShmThreads, exec::Fabric::kTcpThreads}) {
    for (const Drive drive : {Drive::kAfter, Drive::kHooks, Drive::kThread}) {
      for (Rank workers = 1; workers <= 3; ++workers) {
        const unsigned seed = 10 * static_cast<unsigned>(workers) + static_cast<unsigned>(drive);
        const ExchangeOptions options{.bucket_bytes = 64, .drive = drive};
        const std::vector<Turn> turns = random_turns(seed, workers);
        const std::vector<torch::Tensor> expected = serial(turns, workers, false);
        on_workers(fabric, workers, [&](World& world) {
          expect_equal(averaged(world, turns, options), expected, in_words(fabric, seed, workers, options));
        });
      }
    }
  }
}

TEST(Frozen, OrUnusedParametersMoveAsInASerialProgramBySteps) {
  for (const char* strategy : {"direct", "parameter-server"}) {
    for (const Drive drive : {Drive::kAfter, Drive::kHooks, Drive::kThread}) {
      for (Rank workers = 1; workers <= 3; ++workers) {
        for (Rank servers = 0; servers <= (std::string(strategy) == "direct" ? 0 : 2); ++servers) {
          const unsigned seed = 10 * static_cast<unsigned>(workers) + static_cast<unsigned>(servers);
          const ExchangeOptions options{
              .strategy = strategy, .servers = servers, .bucket_bytes = 64, .drive = drive};
          const std::vector<Turn> turns = random_turns(seed, workers);
          const std::vector<torch::Tensor> expected = serial(turns, workers, true);
          on_workers(exec::Fabric::kShmThreads, workers + servers, [&](World& world) {
            const std::vector<torch::Tensor> found = stepped(world, turns, options);
            if (world.rank() >= workers) return;
            expect_equal(found, expected, in_words(exec::Fabric::kShmThreads, seed, workers, options));
          });
        }
      }
    }
  }
}

TEST(Frozen, ParametersGetNoGradient) {
  for (const Rank workers : {1, 2}) {
    on_workers(exec::Fabric::kShmThreads, workers, [](World& world) {
      Blocks net;
      Exchange exchange(world, net);
      const std::vector<bool> all(kBlocks, true);
      net.loss(all, batch_of(world.rank(), 0)).backward();
      exchange.average();
      const torch::Tensor weight = net.blocks[1]->weight;
      const torch::Tensor old = weight.grad().clone();
      net.freeze({false, true, false, false});
      net.loss(all, batch_of(world.rank(), 0)).backward();
      exchange.average();
      EXPECT_TRUE(weight.grad().equal(old)) << "what the program leaves there stays";
      net.zero(true);
      net.loss(all, batch_of(world.rank(), 0)).backward();
      exchange.average();
      EXPECT_FALSE(weight.grad().defined());
      EXPECT_TRUE(net.blocks[2]->weight.grad().defined());
      net.freeze(std::vector<bool>(kBlocks, false));
      net.loss(all, batch_of(world.rank(), 0)).backward();
      exchange.average();
      EXPECT_TRUE(weight.grad().equal(old));
    });
  }
}

TEST(Frozen, ParametersOfTheStartHaveNoTrafficUntilTheyAreTrained) {
  on_workers(exec::Fabric::kTcpThreads, 2, [](World& world) {
    Blocks net;
    net.freeze({false, false, false, true});
    Exchange exchange(world, net, {.strategy = "ring"});
    const std::vector<bool> all(kBlocks, true);
    const auto bytes_of_a_round = [&] {
      const std::int64_t before = exchange.traffic().bytes;
      net.loss(all, batch_of(world.rank(), 0)).backward();
      exchange.average();
      EXPECT_EQ(exchange.traffic().bytes, exchange.traffic().bytes_planned);
      EXPECT_EQ(exchange.traffic().messages, exchange.traffic().messages_planned);
      return exchange.traffic().bytes - before;
    };
    EXPECT_EQ(bytes_of_a_round(), (2 + 3 + 4) * 4 * 4);
    EXPECT_FALSE(net.blocks[3]->bias.grad().defined());
    net.freeze(std::vector<bool>(kBlocks, false));
    EXPECT_EQ(bytes_of_a_round(), (2 + 3 + 4 + 5) * 4 * 4);
    EXPECT_TRUE(net.blocks[3]->bias.grad().defined());
    EXPECT_EQ(exchange.buckets(), 2U);
  });
}

// A server runs no program that would change them.
TEST(Frozen, WeightsThatAProgramHasChangedReachTheServers) {
  for (const Rank servers : {0, 1}) {
    const ExchangeOptions options{.strategy = "parameter-server", .servers = servers};
    on_workers(exec::Fabric::kShmThreads, 2 + servers, [&](World& world) {
      Blocks net;
      if (world.rank() >= 2) return serve(world, net, options);
      Exchange exchange(world, net, options);
      const std::vector<bool> all(kBlocks, true);
      for (const bool frozen : {false, true, false}) {
        net.freeze({frozen, false, false, false});
        if (frozen) net.blocks[0]->bias.set_data(torch::full({2}, 5.0F));
        net.loss(all, batch_of(0, 0)).backward();
        RuleSpec rule = default_rule(RuleKind::kSgd);
        rule.rate = 0.5;
        exchange.step(rule);
        if (net.blocks[0]->bias.requires_grad()) continue;
        EXPECT_TRUE(net.blocks[0]->bias.equal(torch::full({2}, 5.0F)));
      }
      EXPECT_GT(net.blocks[0]->bias.min().item<float>(), 1);
      EXPECT_LT(net.blocks[0]->bias.max().item<float>(), 5);
    });
  }
}

// Nor does a worker that has no more batches, which may hold a share.
TEST(Frozen, WeightsThatAProgramHasChangedReachWorkersThatHaveFinished) {
  struct Net : torch::nn::Module {
    torch::Tensor trained = register_parameter("trained", torch::zeros({4}));
    torch::Tensor frozen = register_parameter("frozen", torch::zeros({4}), /*requires_grad=*/false);
  };
  for (const char* strategy : {"ring", "parameter-server"}) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      Net net;
      Exchange exchange(world, net, {.strategy = strategy});
      RuleSpec rule = default_rule(RuleKind::kSgd);
      rule.rate = 1;
      const int batches = world.rank() == 0 ? 3 : 1;
      for (int batch = 0; batch < batches; ++batch) {
        if (batch == 1) net.frozen.set_data(torch::full({4}, 100.0F));
        if (batch == 2) net.frozen.set_requires_grad(true);
        (net.trained.sum() + net.frozen.sum()).backward();
        exchange.step(rule);
      }
      exchange.finish();
      EXPECT_TRUE(net.frozen.equal(torch::full({4}, 99.0F))) << strategy << ", rank " << world.rank();
    });
  }
}

TEST(Frozen, DifferencesAreToldWithParameterAndRanks) {
  for (const Drive drive : {Drive::kAfter, Drive::kHooks, Drive::kThread}) {
    for (const bool from_the_start : {false, true}) {
      exec::run_on(exec::Fabric::kShmThreads, 4, [&](wire::Wire& wire) {
        World world = world_on(wire);
        Blocks net;
        const std::vector<bool> one{false, true, false, false};
        const std::vector<bool> none(kBlocks, false);
        net.freeze(from_the_start ? one : none);
        const ExchangeOptions options{
            .strategy = "parameter-server", .servers = 1, .bucket_bytes = 64, .drive = drive};
        try {
          if (world.rank() == 3) return serve(world, net, options);
          Exchange exchange(world, net, options);
          net.freeze(world.rank() == 1 ? one : none);
          net.loss(std::vector<bool>(kBlocks, true), batch_of(0, 0)).backward();
          exchange.step(adamw());
          ADD_FAILURE() << "no complaint";
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("block1.weight requires a gradient on ranks 0 and 2 and is "
                                              "frozen on rank 1"));
        }
      });
    }
  }
}

TEST(Unused, ParametersHaveAGradientIfSomeWorkerUsedThem) {
  for (const exec::Fabric fabric :
       {exec::Fabric::kThreads, exec::Fabric::kShmThreads, exec::Fabric::kTcpThreads}) {
    on_workers(fabric, 2, [](World& world) {
      Blocks net;
      Exchange exchange(world, net);
      // Block 0 is used by both, 1 by rank 1, 2 by nobody; 3 was zeroed by both.
      for (torch::Tensor& parameter : net.blocks[3]->parameters()) {
        parameter.mutable_grad() = torch::zeros_like(parameter);
      }
      net.loss({true, world.rank() == 1, false, false}, batch_of(0, 0)).backward();
      const torch::Tensor own = net.blocks[0]->weight.grad().clone();
      exchange.average();
      EXPECT_TRUE(net.blocks[0]->weight.grad().equal(own));
      EXPECT_GT(net.blocks[1]->weight.grad().abs().sum().item<float>(), 0);
      EXPECT_FALSE(net.blocks[2]->weight.grad().defined());
      EXPECT_EQ(net.blocks[3]->weight.grad().abs().sum().item<float>(), 0);
    });
  }
}

TEST(Unused, IsNothingThatAStrictExchangeMindsOfFrozenParameters) {
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    Blocks net;
    Exchange exchange(world, net, {.strict = true});
    net.freeze({false, true, false, false});
    net.loss({true, true, true, true}, batch_of(0, 0)).backward();
    exchange.average();
    net.freeze(std::vector<bool>(kBlocks, false));
    net.loss({true, false, true, true}, batch_of(0, 0)).backward();
    try {
      exchange.average();
      ADD_FAILURE() << "no complaint";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no worker has a gradient for block1.weight, block1.bias"));
    }
  });
}

TEST(Unused, IsWhatAStrictExchangeOfOneWorkerMindsToo) {
  on_workers(exec::Fabric::kShmThreads, 1, [](World& world) {
    Blocks net;
    Exchange exchange(world, net, {.strict = true});
    net.loss({true, true, true, true}, batch_of(0, 0)).backward();
    exchange.average();
    for (const torch::Tensor& parameter : net.parameters()) parameter.mutable_grad() = torch::Tensor();
    net.loss({true, false, true, true}, batch_of(0, 0)).backward();
    try {
      exchange.average();
      ADD_FAILURE() << "no complaint";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no worker has a gradient for block1.weight, block1.bias"));
    }
  });
}

TEST(Unused, GradientsThatAProgramMakesItselfAreExchanged) {
  for (const bool by_step : {false, true}) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      Blocks net;
      Exchange exchange(world, net);
      torch::Tensor weight = net.blocks[0]->weight;
      const torch::Tensor before = weight.detach().clone();
      RuleSpec rule = default_rule(RuleKind::kSgd);
      rule.rate = 1;
      for (int round = 0; round < 2; ++round) {
        // The second time it is written into what the step has zeroed.
        if (!weight.grad().defined()) weight.mutable_grad() = torch::zeros_like(weight);
        weight.mutable_grad().fill_(1 + 2 * world.rank());
        by_step ? exchange.step(rule) : exchange.average();
      }
      EXPECT_TRUE(by_step ? weight.equal(before - 4) : weight.grad().equal(torch::full_like(weight, 2)));
    });
  }
}

}  // namespace
}  // namespace trireme::libtorch
