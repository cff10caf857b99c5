#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <atomic>
#include <barrier>
#include <map>
#include <mutex>

#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"
#include "optim/rule.h"

namespace trireme::libtorch {
namespace {

using testing::HasSubstr;
using Drive = ExchangeOptions::Drive;

constexpr Rank kWorkers = 3;
constexpr int kSteps = 6;
constexpr exec::Fabric kFabrics[] = {exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                     exec::Fabric::kTcpThreads};

// Workers train; ranks after them serve.
void train(exec::Fabric fabric, const ExchangeOptions& options,
           const std::function<void(World&, Exchange&, torch::nn::Sequential&)>& body) {
  on_workers(fabric, kWorkers + options.servers, [&](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    if (world.rank() >= kWorkers) return serve(world, *net, options);
    Exchange exchange(world, *net, options);
    body(world, exchange, net);
  });
}

RuleSpec rule_of_step(RuleKind kind, int step) {
  RuleSpec rule = default_rule(kind);
  rule.rate = 0.1 / (1 + step);
  return rule;
}

std::vector<ExchangeOptions> ways() {
  std::vector<ExchangeOptions> all;
  for (const char* strategy : {"ring", "direct", "all-to-all", "parameter-server", "auto"}) {
    for (const Drive drive : {Drive::kAfter, Drive::kHooks, Drive::kThread}) {
      ExchangeOptions options{.strategy = strategy, .bucket_bytes = 64, .drive = drive};
      all.push_back(options);
      for (options.servers = 1; options.strategy == "parameter-server" && options.servers <= 2;
           ++options.servers) {
        all.push_back(options);
      }
    }
  }
  return all;
}

// The weights of every worker after some steps; the last two batches are uneven.
std::string trained(exec::Fabric fabric, const ExchangeOptions& options, RuleKind kind) {
  std::string weights;
  std::mutex mutex;
  train(fabric, options, [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
    EXPECT_EQ(world.size(), kWorkers + options.servers);
    EXPECT_EQ(exchange.workers().size(), kWorkers);
    for (int step = 0; step < kSteps; ++step) {
      const std::int64_t samples = step < 4 ? 2 : 1 + world.rank();
      if (step >= 4) exchange.samples(samples);
      loss_of(net, input_of(world.rank() + step, samples)).backward();
      exchange.step(rule_of_step(kind, step));
    }
    const std::lock_guard lock(mutex);
    if (weights.empty()) weights = weights_of(net);
    EXPECT_EQ(weights_of(net), weights);
  });
  return weights;
}

TEST(Step, GivesTheSameBitsByEveryStrategyOnEveryWire) {
  for (const RuleKind kind : {RuleKind::kMomentum, RuleKind::kAdam}) {
    for (const double clip : {0.0, 0.01}) {
      std::string expected;
      for (ExchangeOptions options : ways()) {
        options.clip_norm = clip;
        for (const exec::Fabric fabric : kFabrics) {
          const std::string found = trained(fabric, options, kind);
          if (expected.empty()) expected = found;
          EXPECT_EQ(found, expected) << options.strategy << ", " << options.servers << " servers, drive "
                                     << static_cast<int>(options.drive) << " on " << exec::name(fabric);
        }
      }
    }
  }
}

TEST(Step, IsAnAverageAndAnUpdateByTheRule) {
  std::string expected;
  train(exec::Fabric::kThreads, {}, [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
    std::vector<optim::UpdateRule> rules;
    for (const torch::Tensor& weight : net->parameters()) {
      rules.emplace_back(default_rule(RuleKind::kAdamW), optim::vector_of(weight.numel()));
    }
    for (int step = 0; step < kSteps; ++step) {
      net->zero_grad();
      loss_of(net, input_of(world.rank() + step)).backward();
      exchange.average();
      for (std::size_t i = 0; i < rules.size(); ++i) {
        const torch::Tensor weight = net->parameters()[i];
        const auto count = static_cast<std::size_t>(weight.numel());
        rules[i].apply({weight.data_ptr<float>(), count}, {weight.grad().data_ptr<float>(), count}, 0,
                       {.number = step + 1, .rate = rule_of_step(RuleKind::kAdamW, step).rate});
      }
    }
    if (world.rank() == 0) expected = weights_of(net);
  });
  train(exec::Fabric::kThreads, {}, [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
    for (int step = 0; step < kSteps; ++step) {
      loss_of(net, input_of(world.rank() + step)).backward();
      exchange.step(rule_of_step(RuleKind::kAdamW, step));
    }
    EXPECT_EQ(weights_of(net), expected);
  });
}

TEST(Step, UpdatesAlone) {
  on_workers(exec::Fabric::kThreads, 1, [](World& world) {
    torch::nn::Sequential net = net_of(0);
    torch::nn::Sequential twin = net_of(0);
    Exchange exchange(world, *net, {.clip_norm = 0.05});
    torch::optim::SGD optimizer(twin->parameters(), torch::optim::SGDOptions(0.1));
    RuleSpec rule = default_rule(RuleKind::kSgd);
    rule.rate = 0.1;
    for (int step = 0; step < kSteps; ++step) {
      loss_of(net, input_of(step)).backward();
      exchange.step(rule);
      optimizer.zero_grad();
      loss_of(twin, input_of(step)).backward();
      torch::nn::utils::clip_grad_norm_(twin->parameters(), 0.05);
      optimizer.step();
    }
    for (std::size_t i = 0; i < net->parameters().size(); ++i) {
      EXPECT_TRUE(torch::allclose(net->parameters()[i], twin->parameters()[i], 1e-5, 1e-7));
    }
  });
}

TEST(Step, UpdatesWeightsThatAreNotContiguous) {
  std::map<std::string, std::string> found;
  std::mutex mutex;
  for (const char* strategy : {"direct", "parameter-server"}) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      torch::nn::Sequential net = net_of(0);
      torch::Tensor weight = net->parameters()[0];
      weight.set_data(weight.detach().t().contiguous().t());
      ASSERT_FALSE(weight.is_contiguous());
      Exchange exchange(world, *net, {.strategy = strategy});
      for (int step = 0; step < kSteps; ++step) {
        loss_of(net, input_of(world.rank() + step)).backward();
        exchange.step(rule_of_step(RuleKind::kMomentum, step));
      }
      const std::lock_guard lock(mutex);
      found[weights_of(net)] = strategy;
    });
  }
  EXPECT_EQ(found.size(), 1U);
}

// As loading them can do.
TEST(Step, UpdatesWeightsThatHaveGotOtherMemory) {
  for (const char* strategy : {"direct", "parameter-server"}) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      torch::nn::Sequential net = net_of(0);
      torch::nn::Sequential twin = net_of(0);
      Exchange exchange(world, *net, {.strategy = strategy});
      torch::optim::SGD optimizer(twin->parameters(), torch::optim::SGDOptions(0.5));
      for (const auto& some : {net, twin}) some->parameters()[0].set_data(torch::full({4, 5}, 0.25F));
      loss_of(net, input_of(0)).backward();
      RuleSpec rule = default_rule(RuleKind::kSgd);
      rule.rate = 0.5;
      exchange.step(rule);
      loss_of(twin, input_of(0)).backward();
      optimizer.step();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        EXPECT_TRUE(torch::allclose(net->parameters()[i], twin->parameters()[i], 1e-5, 1e-7)) << strategy;
      }
    });
  }
}

TEST(Step, LeavesZeroesAsGradients) {
  for (const char* strategy : {"ring", "parameter-server"}) {
    train(exec::Fabric::kShmThreads, {.strategy = strategy}, [](World& world, Exchange& exchange, auto& net) {
      loss_of(net, input_of(world.rank())).backward();
      exchange.step(default_rule(RuleKind::kSgd));
      for (const torch::Tensor& weight : net->parameters()) {
        EXPECT_EQ(weight.grad().abs().sum().template item<float>(), 0);
      }
    });
  }
}

TEST(Step, CountsWhatThePlanSays) {
  for (ExchangeOptions options : ways()) {
    train(exec::Fabric::kTcpThreads, options,
          [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
            for (int step = 0; step < 3; ++step) {
              loss_of(net, input_of(world.rank())).backward();
              exchange.step(default_rule(RuleKind::kSgd));
            }
            const Exchange::Traffic traffic = exchange.job_traffic();
            EXPECT_EQ(traffic.rounds, 3);
            EXPECT_EQ(traffic.messages, traffic.messages_planned);
            EXPECT_EQ(traffic.bytes, traffic.bytes_planned);
            EXPECT_GT(traffic.other_messages, 0);
            if (options.servers > 0) {
              EXPECT_EQ(traffic.messages, 3 * 3 * 2 * kWorkers * options.servers);
            }
          });
  }
}

TEST(Step, AddsNumbersUpInTheOrderOfRanks) {
  for (const exec::Fabric fabric : kFabrics) {
    train(fabric, {.strategy = "parameter-server", .servers = 2},
          [](World& world, Exchange& exchange, auto&) {
            std::vector<double> numbers{1.0 + world.rank(), 1e-17};
            exchange.sum(numbers);
            EXPECT_EQ(numbers[0], 6);
            exchange.sum({});
            EXPECT_THROW(world.barrier(), Error);
          });
  }
}

TEST(Step, ExchangesOnceAfterSeveralBackwards) {
  std::map<std::string, int> found;
  std::mutex mutex;
  for (const Drive drive : {Drive::kAfter, Drive::kHooks, Drive::kThread}) {
    train(exec::Fabric::kShmThreads, {.bucket_bytes = 64, .drive = drive},
          [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
            for (int step = 0; step < 3; ++step) {
              {
                const auto only_add = exchange.no_sync();
                loss_of(net, input_of(world.rank())).backward();
                exchange.step(default_rule(RuleKind::kSgd));
              }
              loss_of(net, input_of(world.rank() + 7)).backward();
              exchange.step(default_rule(RuleKind::kSgd));
            }
            EXPECT_EQ(exchange.traffic().rounds, 3);
            const std::lock_guard lock(mutex);
            ++found[weights_of(net)];
          });
  }
  EXPECT_EQ(found.size(), 1U);
}

// The later one may hear of the other's end instead.
TEST(Step, RefusesASecondBackwardWhereTheFirstMayBeUnderWay) {
  std::atomic<int> refused = 0;
  exec::run_on(exec::Fabric::kShmThreads, 2, [&](wire::Wire& wire) {
    World world = world_on(wire);
    torch::nn::Sequential net = net_of(0);
    try {
      const Exchange exchange(world, *net, {.bucket_bytes = 64});
      loss_of(net, input_of(0)).backward();
      loss_of(net, input_of(1)).backward();
      ADD_FAILURE() << "no complaint";
    } catch (const std::exception& error) {
      refused += std::string(error.what()).find("no_sync") != std::string::npos ? 1 : 0;
    }
  });
  EXPECT_GE(refused, 1);
}

// Returns what `body` throws between a backward and its step, on every worker; then the job is over.
void expect_refusal(const std::function<void(World&, Exchange&)>& body, const std::string& words) {
  for (const Drive drive : {Drive::kMeasure, Drive::kHooks, Drive::kThread}) {
    std::barrier together(2);  // nobody gives up while the other is in its backward
    exec::run_on(exec::Fabric::kShmThreads, 2, [&](wire::Wire& wire) {
      World world = world_on(wire);
      torch::nn::Sequential net = net_of(0);
      Exchange exchange(world, *net, {.bucket_bytes = 64, .drive = drive});
      loss_of(net, input_of(0)).backward();
      together.arrive_and_wait();
      try {
        body(world, exchange);
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(words));
      }
      Failure failure;
      failure.what = "the test is over";
      exchange.give_up(failure);
    });
  }
}

TEST(Step, RefusesEverythingElseBetweenBackwardAndItsStep) {
  const std::string words = "between backward and the average or step";
  expect_refusal([](World&, Exchange& exchange) { exchange.samples(2); }, words);
  expect_refusal([](World&, Exchange& exchange) { exchange.sum({}); }, words);
  expect_refusal([](World&, Exchange& exchange) { static_cast<void>(exchange.job_traffic()); }, words);
  expect_refusal([](World& world, Exchange&) { world.barrier(); }, words);
  expect_refusal([](World&, Exchange& exchange) { exchange.finish(); }, "neither averaged nor stepped");
}

TEST(Step, RefusesToGoOnAfterTheEnd) {
  train(exec::Fabric::kShmThreads, {}, [](World&, Exchange& exchange, auto&) {
    exchange.finish();
    EXPECT_THROW(exchange.average(), Error);
    EXPECT_THROW(exchange.step(default_rule(RuleKind::kSgd)), Error);
    EXPECT_THROW(exchange.sum({}), Error);
  });
}

TEST(Step, RefusesOneBackwardForTwoExchanges) {
  std::atomic<int> refused = 0;
  exec::run_on(exec::Fabric::kShmThreads, 2, [&](wire::Wire& wire) {
    World world = world_on(wire);
    torch::nn::Sequential one = net_of(0);
    torch::nn::Sequential other = net_of(1);
    try {
      const Exchange first(world, *one, {.bucket_bytes = 64});
      const Exchange second(world, *other, {.bucket_bytes = 64});
      (loss_of(one, input_of(0)) + loss_of(other, input_of(0))).backward();
      ADD_FAILURE() << "no complaint";
    } catch (const std::exception& error) {
      refused += std::string(error.what()).find("two exchanges") != std::string::npos ? 1 : 0;
    }
  });
  EXPECT_GE(refused, 1);
}

TEST(Step, AddsUpManyNumbers) {
  train(exec::Fabric::kShmThreads, {}, [](World& world, Exchange& exchange, auto&) {
    std::vector<double> numbers(100'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) * (1 + world.rank());
    exchange.sum(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], static_cast<double>(6 * i));
  });
}

TEST(Step, IsStrictAboutAllBackwardsOfARound) {
  train(exec::Fabric::kShmThreads, {.strict = true}, [](World& world, Exchange& exchange, auto& net) {
    {
      const auto only_add = exchange.no_sync();
      loss_of(net, input_of(world.rank())).backward();
    }
    net->parameters()[0].sum().backward();
    EXPECT_NO_THROW(exchange.average());
  });
}

TEST(Step, RefusesWhatItCannotDo) {
  on_workers(exec::Fabric::kThreads, 1, [](World& world) {
    torch::nn::Linear net(2, 2);
    Exchange exchange(world, *net);
    RuleSpec rule = default_rule(RuleKind::kSgd);
    rule.rate = -1;
    EXPECT_THROW(exchange.step(rule), Error);
    torch::nn::Linear doubles(2, 2);
    doubles->to(torch::kFloat64);
    EXPECT_THROW(Exchange(world, *doubles).step(default_rule(RuleKind::kSgd)), Error);
  });
}

TEST(Step, RefusesWorkersWithOtherRules) {
  exec::run_on(exec::Fabric::kShmThreads, 2, [](wire::Wire& wire) {
    World world = world_on(wire);
    torch::nn::Sequential net = net_of(0);
    try {
      Exchange exchange(world, *net);
      RuleSpec rule = default_rule(RuleKind::kSgd);
      rule.rate = 0.1 * (1 + world.rank());
      exchange.step(rule);
      ADD_FAILURE() << "no complaint";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 is at a step by sgd with rate 0.2"));
    }
  });
}

TEST(Uneven, WorkersThatHaveFinishedFollow) {
  for (const char* strategy : {"ring", "parameter-server"}) {
    for (const Rank servers : {0, 1}) {
      if (servers > 0 && std::string(strategy) == "ring") continue;
      std::map<std::string, int> found;
      std::mutex mutex;
      train(exec::Fabric::kShmThreads, {.strategy = strategy, .servers = servers},
            [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
              for (int step = 0; step < 2 + 3 * world.rank(); ++step) {
                loss_of(net, input_of(world.rank() + step)).backward();
                exchange.step(default_rule(RuleKind::kMomentum));
              }
              exchange.finish();
              EXPECT_EQ(exchange.traffic().rounds, 8);
              const std::lock_guard lock(mutex);
              ++found[weights_of(net)];
            });
      EXPECT_EQ(found.size(), 1U) << strategy;
    }
  }
}

TEST(Uneven, AveragesAreOfThoseThatAreLeft) {
  for (const exec::Fabric fabric : kFabrics) {
    std::map<std::string, int> found;
    std::mutex mutex;
    train(fabric, {}, [&](World& world, Exchange& exchange, torch::nn::Sequential& net) {
      if (world.rank() == 2) {
        torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1));
        loss_of(net, input_of(0)).backward();
        const torch::Tensor alone = net->parameters()[0].grad().clone();
        exchange.average();
        EXPECT_TRUE(net->parameters()[0].grad().equal(alone));
        optimizer.step();
      }
      exchange.finish();
      const std::lock_guard lock(mutex);
      ++found[weights_of(net)];
    });
    EXPECT_EQ(found.size(), 1U) << exec::name(fabric);
  }
}

TEST(Drives, AreTriedAndTheBestIsSaid) {
  testing::internal::CaptureStderr();
  train(exec::Fabric::kShmThreads, {.bucket_bytes = 64}, [](World& world, Exchange& exchange, auto& net) {
    for (int step = 0; step < 40; ++step) {
      loss_of(net, input_of(world.rank())).backward();
      exchange.step(default_rule(RuleKind::kSgd));
    }
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("trireme: buckets are exchanged "));
}

}  // namespace
}  // namespace trireme::libtorch
