// Own programs in modes other than sync: what becomes of gradients, weights and buffers.
#include "libtorch/free_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/world_test_util.h"
#include "libtorch/exchange_access.h"
#include "libtorch/free_test_util.h"
#include "libtorch/nets_test_util.h"

namespace trireme::libtorch {
namespace free_steps {

constexpr exec::Fabric kFabrics[] = {exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                     exec::Fabric::kTcpThreads};
constexpr Rank kWorkers = 3;

using Body = std::function<void(World&, Exchange&, Slope&)>;

void train(const ExchangeOptions& options, const Body& body) {
  train_freely<Slope>(exec::Fabric::kShmThreads, kWorkers, options, body);
}

// The gradients of a worker are its rank + 1.
void take_steps(World& world, Exchange& exchange, Slope& net, int steps, double rate = 0.125) {
  for (int step = 0; step < steps; ++step) {
    net.backward(world.rank() + 1);
    exchange.step(plain_sgd(rate));
  }
}

void expect_as_planned(const Exchange::Traffic& traffic) {
  EXPECT_GT(traffic.messages_planned, 0);
  EXPECT_EQ(traffic.messages, traffic.messages_planned);
  EXPECT_EQ(traffic.bytes, traffic.bytes_planned);
}

TEST(FreeSteps, ApplyTheGradientsOfWorkersWithUnequallyManyBatches) {
  for (const exec::Fabric fabric : kFabrics) {
    for (const char* mode : {"async", "ssp:2"}) {
      for (const Rank servers : {1, 2}) {
        SCOPED_TRACE(std::string(mode) + " on " + exec::name(fabric));
        train_freely<Slope>(fabric, kWorkers, freely(mode, servers),
                            [&](World& world, Exchange& exchange, Slope& net) {
                              take_steps(world, exchange, net, 3 + 4 * world.rank());
                              exchange.finish();
                              EXPECT_EQ(net.moved(), 0.125 * (1 * 3 + 2 * 7 + 3 * 11));
                            });
      }
    }
  }
}

// The gradient of every worker is 1, and so is the average of a round. Servers have rounds of their own.
TEST(FreeSteps, ApplyTheAverageOfRoundsWithBackupWorkers) {
  for (const exec::Fabric fabric : kFabrics) {
    train_freely<Slope>(
        fabric, kWorkers, freely("backup:1"), [](World& world, Exchange& exchange, Slope& net) {
          for (int step = 0; step < 3 + 4 * world.rank(); ++step) {
            net.backward(1);
            exchange.step(plain_sgd());
          }
          exchange.finish();
          const double rounds = net.moved() / 0.125;
          EXPECT_EQ(rounds, std::floor(rounds));
          EXPECT_GE(rounds, 6) << "the others have 10 gradients, for 5 rounds without worker 2";
          EXPECT_LE(rounds, 3 + 7 + 11);
        });
  }
}

TEST(FreeSteps, EndWithTheSameWeightsOnAllWorkers) {
  for (const char* mode : {"async", "ssp:1", "backup:1"}) {
    std::string expected;
    std::mutex mutex;
    train(freely(mode, 2), [&](World& world, Exchange& exchange, Slope& net) {
      RuleSpec rule = default_rule(RuleKind::kAdam);
      for (int step = 0; step < 3 + 4 * world.rank(); ++step) {
        net.backward(1 + step + world.rank());
        exchange.step(rule);
      }
      exchange.finish();
      const std::lock_guard lock(mutex);
      if (expected.empty()) expected = bytes_of(net.parameters());
      EXPECT_EQ(bytes_of(net.parameters()), expected) << mode;
    });
  }
}

TEST(FreeSteps, DropTheGradientThatIsLateForItsRound) {
  train(freely("backup:1"), [](World& world, Exchange& exchange, Slope& net) {
    Group& workers = exchange.workers();
    ExchangeAccess::rounds(exchange).begin_phase(plain_sgd());
    if (world.rank() == 2) workers.barrier();
    net.backward(world.rank() == 2 ? 64 : 1);
    exchange.step(plain_sgd());
    if (world.rank() != 2) workers.barrier();
    exchange.finish();
    EXPECT_EQ(net.moved(), 0.125);
  });
}

TEST(FreeSteps, CountTwoMessagesForEachShareOfAnUpdate) {
  for (const exec::Fabric fabric : kFabrics) {
    for (const Rank servers : {1, 2}) {
      train_freely<Slope>(fabric, kWorkers, freely("async", servers),
                          [&](World& world, Exchange& exchange, Slope& net) {
                            take_steps(world, exchange, net, 2 + world.rank());
                            expect_as_planned(exchange.traffic());
                            const Exchange::Traffic all = exchange.job_traffic();
                            EXPECT_EQ(all.messages, 2 * servers * (2 + 3 + 4));
                            expect_as_planned(all);
                          });
    }
  }
}

TEST(FreeSteps, CountWhatWasPlannedInEveryMode) {
  for (const char* mode : {"async", "ssp:2", "backup:1", "backup:2"}) {
    SCOPED_TRACE(mode);
    train(freely(mode, 2), [](World& world, Exchange& exchange, Slope& net) {
      for (int phase = 0; phase < 3; ++phase) {
        take_steps(world, exchange, net, 3 + world.rank());
        expect_as_planned(exchange.job_traffic());
      }
    });
  }
}

TEST(FreeSteps, GoOnAfterASumWithTheWeightsThatAllHave) {
  for (const exec::Fabric fabric : kFabrics) {
    train_freely<Slope>(fabric, kWorkers, freely("async", 2),
                        [](World& world, Exchange& exchange, Slope& net) {
                          take_steps(world, exchange, net, 1 + world.rank());
                          std::array<double, 1> losses{1.5 + world.rank()};
                          exchange.sum(losses);
                          EXPECT_EQ(losses[0], 1.5 + 2.5 + 3.5);
                          EXPECT_EQ(net.moved(), 0.125 * (1 + 4 + 9));
                          take_steps(world, exchange, net, 2);
                          exchange.finish();
                          EXPECT_EQ(net.moved(), 0.125 * (1 + 4 + 9 + 2 * (1 + 2 + 3)));
                        });
  }
}

TEST(FreeSteps, GoOnWhereAWorkerHasFinishedBeforeThePhase) {
  for (const char* mode : {"async", "ssp:1", "backup:1"}) {
    SCOPED_TRACE(mode);
    train(freely(mode), [](World& world, Exchange& exchange, Slope& net) {
      if (world.rank() == 0) {
        exchange.finish();
      } else {
        std::array<double, 1> ones{1};
        for (int phase = 0; phase < 2; ++phase) {
          net.backward(1);
          exchange.step(plain_sgd());
          ones[0] = 1;
          exchange.sum(ones);
          EXPECT_EQ(ones[0], 2);
        }
        exchange.finish();
      }
      EXPECT_GT(net.moved(), 0);
    });
  }
}

TEST(FreeSteps, LetWorkersTalkAmongThemselvesInAPhase) {
  train(freely("async"), [](World& world, Exchange& exchange, Slope& net) {
    for (int step = 0; step < 3; ++step) {
      take_steps(world, exchange, net, 1);
      exchange.workers().barrier();
    }
    exchange.finish();
    EXPECT_EQ(net.moved(), 0.125 * 3 * (1 + 2 + 3));
  });
}

TEST(FreeSteps, ArePossibleForOneWorker) {
  train_freely<Slope>(exec::Fabric::kTcpThreads, 1, freely("async", 3),
                      [](World&, Exchange& exchange, Slope& net) {
                        for (int step = 0; step < 4; ++step) {
                          net.backward(1);
                          exchange.step(plain_sgd());
                          EXPECT_EQ(net.moved(), 0.125 * (step + 1)) << "its own update is in the answer";
                        }
                      });
}

TEST(FreeSteps, DivideTheRateByTheWorkers) {
  ExchangeOptions options = freely("async");
  options.staleness_rate = "workers";
  train_freely<Slope>(exec::Fabric::kShmThreads, 4, options,
                      [](World& world, Exchange& exchange, Slope& net) {
                        take_steps(world, exchange, net, 2);
                        exchange.finish();
                        EXPECT_EQ(net.moved(), 0.125 / 4 * 2 * (1 + 2 + 3 + 4));
                      });
}

TEST(FreeSteps, TakeAnotherRateInEachStep) {
  train(freely("async"), [](World& world, Exchange& exchange, Slope& net) {
    for (const double rate : {0.5, 0.25, 0.125}) take_steps(world, exchange, net, 1, rate);
    exchange.finish();
    EXPECT_EQ(net.moved(), (0.5 + 0.25 + 0.125) * (1 + 2 + 3));
  });
}

TEST(FreeSteps, LeaveZerosAsGradients) {
  train(freely("async"), [](World& world, Exchange& exchange, Slope& net) {
    take_steps(world, exchange, net, 1);
    EXPECT_EQ(net.weight.grad().abs().sum().item<float>(), 0);
  });
}

TEST(FreeSteps, UpdateNothingWithTheMeanOfNoSamples) {
  train(freely("async"), [](World& world, Exchange& exchange, Slope& net) {
    const bool has_samples = world.rank() == 0;
    exchange.samples(has_samples ? 3 : 0);
    net.backward(has_samples ? 1 : NAN);
    exchange.step(plain_sgd());
    net.backward(1);
    exchange.step(plain_sgd());
    exchange.finish();
    EXPECT_EQ(net.moved(), 0.125 * (1 + kWorkers));
  });
}

TEST(FreeSteps, AddUpGradientsWhileNothingIsExchanged) {
  train(freely("async"), [](World&, Exchange& exchange, Slope& net) {
    {
      const auto token = exchange.no_sync();
      for (int batch = 0; batch < 2; ++batch) {
        net.backward(1);
        exchange.step(plain_sgd());
        EXPECT_EQ(net.moved(), 0);
      }
    }
    net.backward(2);
    exchange.step(plain_sgd());
    exchange.finish();
    EXPECT_EQ(net.moved(), 0.125 * kWorkers * 4);
  });
}

// A gradient of 45 ones has the norm √45.
TEST(FreeSteps, ClipTheGradientOfEachWorker) {
  ExchangeOptions options = freely("async", 2);
  options.clip_norm = std::sqrt(45.0) / 2;
  train(options, [](World& world, Exchange& exchange, Slope& net) {
    net.backward(std::exp2(world.rank()));
    exchange.step(plain_sgd());
    exchange.finish();
    EXPECT_NEAR(-net.bias[0].item<double>(), 0.125 * kWorkers * 0.5, 1e-5);
  });
}

TEST(FreeSteps, UpdateGroupsInTheirOwnWay) {
  ExchangeOptions options = freely("ssp:1", 2);
  options.groups = {{.match = "bias", .rate_factor = 0.5}};
  train(options, [](World& world, Exchange& exchange, Slope& net) {
    take_steps(world, exchange, net, 2);
    exchange.finish();
    EXPECT_EQ(net.bias[0].item<double>(), -0.125 * 0.5 * 2 * (1 + 2 + 3));
    EXPECT_EQ(net.weight[0].item<double>(), -0.125 * 2 * (1 + 2 + 3));
  });
}

TEST(FreeSteps, KeepTheStateOfARuleOnTheServer) {
  train(freely("async", 2), [](World&, Exchange& exchange, Slope& net) {
    RuleSpec rule = default_rule(RuleKind::kMomentum);
    rule.rate = 1;
    rule.momentum = 0.5;
    for (int phase = 0; phase < 2; ++phase) {
      net.backward(1);
      exchange.step(rule);
      std::array<double, 1> none{0};
      exchange.sum(none);
    }
    // After k updates the momentum is 2 − 2^(1 − k).
    double expected = 0;
    for (int k = 1; k <= 2 * kWorkers; ++k) expected += 2 - std::exp2(1 - k);
    EXPECT_EQ(net.moved(), expected);
  });
}

struct WithBuffer : Slope {
  WithBuffer() { mean = register_buffer("mean", torch::zeros({2})); }
  torch::Tensor mean;
};

TEST(FreeSteps, LeaveBuffersToTheirWorkersAndEndWithThoseOfRankZero) {
  using Buffers = ExchangeOptions::Buffers;
  for (const Buffers buffers : {Buffers::kFromRank0, Buffers::kOwn}) {
    ExchangeOptions options = freely("async");
    options.buffers = buffers;
    train_freely<WithBuffer>(
        exec::Fabric::kShmThreads, kWorkers, options, [&](World& world, Exchange& exchange, WithBuffer& net) {
          net.mean.fill_(7 + world.rank());
          take_steps(world, exchange, net, 2);
          std::array<double, 1> none{0};
          exchange.sum(none);
          EXPECT_EQ(net.mean[0].item<int>(), 7 + world.rank());
          exchange.finish();
          EXPECT_EQ(net.mean[1].item<int>(), buffers == Buffers::kOwn ? 7 + world.rank() : 7);
        });
  }
}

TEST(FreeSteps, TakeTheWeightsOfRankZeroFirst) {
  on_workers(exec::Fabric::kTcpThreads, kWorkers + 2, [](World& world) {
    Slope net;
    if (world.rank() != 0) net.weight.detach().fill_(-1);
    if (world.rank() >= kWorkers) return serve(world, net, freely("async", 2));
    Exchange exchange(world, net, freely("async", 2));
    EXPECT_EQ(net.moved(), 0);
    take_steps(world, exchange, net, 1);
    exchange.finish();
    EXPECT_EQ(net.moved(), 0.125 * (1 + 2 + 3));
  });
}

TEST(FreeSteps, LearnWithARealNet) {
  on_workers(exec::Fabric::kShmThreads, kWorkers + 1, [](World& world) {
    torch::nn::Sequential net = net_of(0);
    if (world.rank() == kWorkers) return serve(world, *net, freely("async"));
    const double before = loss_of(net, input_of(0)).item<double>();
    Exchange exchange(world, *net, freely("async"));
    for (int step = 0; step < 40; ++step) {
      loss_of(net, input_of(0)).backward();
      exchange.step(plain_sgd(0.02));
    }
    exchange.finish();
    EXPECT_LT(loss_of(net, input_of(0)).item<double>(), 0.5 * before);
  });
}

TEST(FreeSteps, AreForProgramsWhoseServersEndInTheExchange) {
  for (const char* mode : {"async", "ssp:2", "backup:1"}) {
    on_nodes(5, [&] {
      World world = join(0, nullptr);
      Slope net;
      Exchange exchange(world, net, freely(mode, 2));
      if (!expect(world.rank() < kWorkers, "a worker")) return false;
      for (int step = 0; step <= world.rank(); ++step) {
        net.backward(1);
        exchange.step(plain_sgd());
      }
      const bool is_planned = exchange.traffic().messages == exchange.traffic().messages_planned;
      exchange.finish();
      return expect(is_planned, "counted as planned") && expect(net.moved() > 0, "weights have moved");
    });
  }
}

TEST(FreeSteps, ArePossibleWithoutParameters) {
  struct Empty : torch::nn::Module {};
  train_freely<Empty>(exec::Fabric::kShmThreads, 2, freely("async"), [](World&, Exchange& exchange, Empty&) {
    exchange.step(plain_sgd());
    std::array<double, 1> ones{1};
    exchange.sum(ones);
    EXPECT_EQ(ones[0], 2);
  });
}

}  // namespace free_steps
}  // namespace trireme::libtorch
