#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "libtorch/nets_test_util.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

using testing::HasSubstr;

constexpr exec::Fabric kFabrics[] = {exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                     exec::Fabric::kTcpThreads};

std::vector<torch::Tensor> gradients_of(torch::nn::Sequential& net) {
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : net->parameters()) gradients.push_back(parameter.grad().clone());
  return gradients;
}

std::vector<torch::Tensor> serial_gradients(Rank rank, std::int64_t samples = 2) {
  torch::nn::Sequential net = net_of(0);
  loss_of(net, input_of(rank, samples)).backward();
  return gradients_of(net);
}

void expect_close(const std::vector<torch::Tensor>& found, const std::vector<torch::Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-5, 1e-7)) << found[i] << expected[i];
  }
}

TEST(Exchange, GivesEveryWorkerTheWeightsOfRank0) {
  const std::string expected = bytes_of(net_of(0)->parameters());
  for (const exec::Fabric fabric : kFabrics) {
    on_workers(fabric, 3, [&](World& world) {
      torch::nn::Sequential net = net_of(world.rank());
      const Exchange exchange(world, *net);
      EXPECT_EQ(bytes_of(net->parameters()), expected) << exec::name(fabric);
    });
  }
}

TEST(Exchange, AveragesTheGradientsOfAllWorkers) {
  std::vector<torch::Tensor> expected = serial_gradients(0);
  for (Rank rank = 1; rank < 3; ++rank) {
    const std::vector<torch::Tensor> more = serial_gradients(rank);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += more[i];
  }
  for (torch::Tensor& gradient : expected) gradient /= 3;
  for (const exec::Fabric fabric : kFabrics) {
    on_workers(fabric, 3, [&](World& world) {
      torch::nn::Sequential net = net_of(world.rank());
      Exchange exchange(world, *net, {.bucket_bytes = 64});
      EXPECT_EQ(exchange.buckets(), 3U);
      loss_of(net, input_of(world.rank())).backward();
      exchange.average();
      expect_close(gradients_of(net), expected);
    });
  }
}

TEST(Exchange, OfAGroupTrainsAsAJobOfThatSize) {
  std::vector<torch::Tensor> expected[] = {serial_gradients(0), serial_gradients(2)};
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const std::vector<torch::Tensor> more = serial_gradients(static_cast<Rank>(2 * pair + 1));
    for (std::size_t i = 0; i < more.size(); ++i) expected[pair][i] = (expected[pair][i] + more[i]) / 2;
  }
  for (const exec::Fabric fabric : kFabrics) {
    on_workers(fabric, 4, [&](World& world) {
      Group pair = world.split(world.rank() / 2);
      torch::nn::Sequential net = net_of(pair.rank());
      Exchange exchange(pair, *net, {.bucket_bytes = 64});
      loss_of(net, input_of(world.rank())).backward();
      exchange.average();
      expect_close(gradients_of(net), expected[world.rank() / 2]);
      const Exchange::Traffic traffic = exchange.traffic();
      EXPECT_EQ(traffic.messages, traffic.messages_planned);
      EXPECT_GT(traffic.messages, 0);
      EXPECT_EQ(ShardedSampler(10, pair, 1).next(5)->size(), 5U);
    });
  }
}

TEST(Exchange, GivesTheSameBitsByEveryStrategyOnEveryWire) {
  std::string expected;
  std::mutex mutex;
  for (const char* strategy : {"ring", "direct", "all-to-all", "auto"}) {
    for (const exec::Fabric fabric : kFabrics) {
      on_workers(fabric, 3, [&](World& world) {
        torch::nn::Sequential net = net_of(world.rank());
        Exchange exchange(world, *net, {.strategy = strategy});
        loss_of(net, input_of(world.rank())).backward();
        exchange.average();
        const std::string found = bytes_of(gradients_of(net));
        const std::lock_guard lock(mutex);
        if (expected.empty()) expected = found;
        EXPECT_EQ(found, expected) << strategy << " on " << exec::name(fabric);
      });
    }
  }
}

TEST(Exchange, KeepsGradientsInItsBucketsWhenTheyAreZeroedInPlace) {
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    Exchange exchange(world, *net);
    const void* place = nullptr;
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      loss_of(net, input_of(world.rank())).backward();
      exchange.average();
      if (step == 0) place = net->parameters()[0].grad().data_ptr();
    }
    EXPECT_EQ(net->parameters()[0].grad().data_ptr(), place);
  });
}

TEST(Exchange, TakesGradientsInWhenTheyWereSetToNone) {
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    Exchange exchange(world, *net);
    loss_of(net, input_of(world.rank())).backward();
    exchange.average();
    const std::string expected = bytes_of(gradients_of(net));
    for (torch::Tensor& parameter : net->parameters()) parameter.mutable_grad().reset();
    loss_of(net, input_of(world.rank())).backward();
    exchange.average();
    EXPECT_EQ(bytes_of(gradients_of(net)), expected);
  });
}

TEST(Exchange, WeighsByTheSamplesOfEachWorker) {
  // Workers with 1, 3 and 0 samples: as one worker with those four.
  torch::nn::Sequential serial = net_of(0);
  loss_of(serial, torch::cat({input_of(0, 1), input_of(1, 3)})).backward();
  const std::vector<torch::Tensor> expected = gradients_of(serial);
  on_workers(exec::Fabric::kShmThreads, 3, [&](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    Exchange exchange(world, *net);
    constexpr std::array<std::int64_t, 3> kSamples{1, 3, 0};
    const std::int64_t samples = kSamples[idx(world.rank())];
    exchange.samples(samples);
    if (samples > 0) loss_of(net, input_of(world.rank(), samples)).backward();
    exchange.average();
    expect_close(gradients_of(net), expected);
  });
}

TEST(Exchange, AddsGradientsUpWithoutSync) {
  const std::vector<torch::Tensor> once = serial_gradients(0);
  on_workers(exec::Fabric::kThreads, 2, [&](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    Exchange exchange(world, *net);
    {
      const auto accumulating = exchange.no_sync();
      loss_of(net, input_of(0)).backward();
      exchange.average();
      EXPECT_EQ(exchange.traffic().rounds, 0);
    }
    loss_of(net, input_of(0)).backward();
    exchange.average();
    EXPECT_EQ(exchange.traffic().rounds, 1);
    std::vector<torch::Tensor> twice;
    for (const torch::Tensor& gradient : once) twice.push_back(gradient * 2);
    expect_close(gradients_of(net), twice);
  });
}

TEST(Exchange, CountsWhatThePlanSays) {
  on_workers(exec::Fabric::kShmThreads, 4, [](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    Exchange exchange(world, *net, {.strategy = "ring"});
    loss_of(net, input_of(world.rank())).backward();
    exchange.average();
    // 39 numbers in chunks of 9 and 10; a worker sends each but its own, twice.
    EXPECT_EQ(exchange.traffic().messages, 6);
    EXPECT_GE(exchange.traffic().bytes, 6 * 9 * 4);
    EXPECT_LE(exchange.traffic().bytes, 6 * 10 * 4);
  });
}

TEST(Exchange, LeavesFrozenParametersAloneAndTakesTiedOnesOnce) {
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    torch::nn::Linear tied(5, 4);
    tied->weight = net->parameters()[0];
    tied->bias.requires_grad_(false);
    struct Both : torch::nn::Module {
    } both;
    both.register_module("net", net.ptr());
    both.register_parameter("again", net->parameters()[0]);
    both.register_parameter("frozen", tied->bias, false);
    Exchange exchange(world, both);
    loss_of(net, input_of(world.rank())).backward();
    exchange.average();
    EXPECT_FALSE(tied->bias.grad().defined());
    EXPECT_EQ(exchange.buckets(), 1U);
    EXPECT_EQ(exchange.traffic().bytes, 39 / 2 * 4 + 20 * 4);  // chunks of 19 and 20, each sent once by each
  });
}

TEST(Exchange, LeavesAParameterWithoutGradientWithoutAndNamesItWhenStrict) {
  on_workers(exec::Fabric::kThreads, 2, [](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    torch::nn::Linear unused(2, 2);
    struct Both : torch::nn::Module {
    } both;
    both.register_module("net", net.ptr());
    both.register_module("unused", unused.ptr());
    {
      Exchange lenient(world, both);
      loss_of(net, input_of(world.rank())).backward();
      lenient.average();
      EXPECT_FALSE(unused->weight.grad().defined());
    }
    Exchange strict(world, both, {.strict = true});
    for (torch::Tensor& parameter : both.parameters()) parameter.mutable_grad().reset();
    loss_of(net, input_of(world.rank())).backward();
    try {
      strict.average();
      ADD_FAILURE() << "no complaint";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no worker has a gradient for unused.weight, unused.bias"));
    }
  });
}

TEST(Exchange, SharesBuffersAsAsked) {
  using Buffers = ExchangeOptions::Buffers;
  for (const auto& [choice, expected] : {std::pair{Buffers::kFromRank0, std::array{1.F, 1.F}},
                                         std::pair{Buffers::kAverage, std::array{1.5F, 1.5F}},
                                         std::pair{Buffers::kOwn, std::array{1.F, 2.F}}}) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      torch::nn::BatchNorm1d norm(3);
      Exchange exchange(world, *norm, {.buffers = choice});
      norm->running_mean.fill_(world.rank() + 1);
      norm->forward(torch::ones({2, 3})).sum().backward();
      norm->running_mean.fill_(world.rank() + 1);
      exchange.average();
      EXPECT_EQ(norm->running_mean[0].item<float>(), expected[idx(world.rank())]);
      EXPECT_EQ(norm->num_batches_tracked.item<std::int64_t>(), 1);
    });
  }
}

TEST(Exchange, AveragesBuffersOf16Bits) {
  for (const torch::ScalarType type : {torch::kHalf, torch::kBFloat16}) {
    on_workers(exec::Fabric::kShmThreads, 3, [&](World& world) {
      torch::nn::Linear net(2, 2);
      torch::Tensor buffer = net->register_buffer("statistics", torch::zeros({5}, type));
      Exchange exchange(world, *net, {.buffers = ExchangeOptions::Buffers::kAverage});
      buffer.fill_(0.25 + world.rank());
      net->forward(torch::ones({1, 2})).sum().backward();
      exchange.average();
      exchange.finish();
      EXPECT_EQ(buffer.scalar_type(), type);
      EXPECT_TRUE(buffer.equal(torch::full({5}, 1.25, type))) << buffer;
    });
  }
}

// Also parts of them, and when the wire is gone, too.
TEST(Exchange, LeavesGradientsThatAProgramKeepsTheirNumbers) {
  for (const exec::Fabric fabric : kFabrics) {
    for (const Rank workers : {1, 2}) {
      std::vector<std::vector<torch::Tensor>> kept(idx(workers));
      std::vector<std::vector<torch::Tensor>> expected(idx(workers));
      on_workers(fabric, workers, [&](World& world) {
        torch::nn::Sequential net = net_of(world.rank());
        Exchange exchange(world, *net, {.bucket_bytes = 64});
        loss_of(net, input_of(world.rank())).backward();
        exchange.average();
        expected[idx(world.rank())] = gradients_of(net);
        for (const torch::Tensor& parameter : net->parameters()) {
          kept[idx(world.rank())].push_back(parameter.grad());
        }
        expected[idx(world.rank())].push_back(net->parameters()[0].grad()[1].clone());
        kept[idx(world.rank())].push_back(net->parameters()[0].grad()[1]);
      });
      for (std::size_t rank = 0; rank < kept.size(); ++rank) {
        EXPECT_EQ(bytes_of(kept[rank]), bytes_of(expected[rank])) << exec::name(fabric);
        for (torch::Tensor& gradient : kept[rank]) gradient.fill_(1);
      }
    }
  }
}

TEST(Exchange, NamesAParameterThatHasBecomeOfAnotherType) {
  for (const Rank workers : {1, 2}) {
    for (const bool by_step : {false, true}) {
      exec::run_on(exec::Fabric::kShmThreads, workers, [&](wire::Wire& wire) {
        World world = world_on(wire);
        torch::nn::Sequential net = net_of(0);
        try {
          Exchange exchange(world, *net, {.bucket_bytes = 64});
          net->to(torch::kFloat64);
          loss_of(net, input_of(0).to(torch::kFloat64)).backward();
          by_step ? exchange.step(default_rule(RuleKind::kSgd)) : exchange.average();
          ADD_FAILURE() << "no complaint";
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("the parameter 2.bias was of Float when the Exchange was made "
                                              "and is of Double now"));
          EXPECT_THAT(error.what(), HasSubstr("net->to(torch::kFloat64)"));
        }
      });
    }
  }
}

TEST(Exchange, SaysOnceThatEveryWorkerHoldsAShare) {
  testing::internal::CaptureStderr();
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    torch::nn::Sequential net = net_of(0);
    for (int i = 0; i < 2; ++i) Exchange(world, *net, {.strategy = "parameter-server"}).finish();
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "trireme: every worker holds a share of the weights; ExchangeOptions::servers makes the last "
            "ranks servers\n");
}

TEST(Exchange, TakesGradientsInTheOrderOfTheirParametersMemory) {
  testing::internal::CaptureStderr();
  torch::Tensor expected;
  std::mutex mutex;
  for (const auto format : {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast}) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      torch::nn::Conv2d net(torch::nn::Conv2dOptions(3, 4, 2).bias(false));
      net->weight.set_data(torch::arange(48, torch::kFloat32).reshape({4, 3, 2, 2}).contiguous(format));
      Exchange exchange(world, *net, {.strategy = "direct"});
      const torch::Tensor input = torch::arange(54, torch::kFloat32).reshape({2, 3, 3, 3});
      for (int step = 0; step < 3; ++step) {
        net->zero_grad();
        net->forward(input.add(world.rank()).contiguous(format)).sum().backward();
        exchange.average();
      }
      EXPECT_EQ(net->weight.grad().strides(), net->weight.strides());
      const std::lock_guard lock(mutex);
      if (!expected.defined()) expected = net->weight.grad().contiguous().clone();
      EXPECT_TRUE(net->weight.grad().equal(expected));
    });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "libtorch warns of another order";
}

TEST(Exchange, AveragesTheGradientsOfParametersOnAnotherDevice) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no other device here";
  on_workers(exec::Fabric::kShmThreads, 2, [](World& world) {
    torch::nn::Sequential on_cpu = net_of(world.rank());
    torch::nn::Sequential net = net_of(world.rank());
    net->to(torch::kCUDA);
    Exchange exchange(world, *net);
    Exchange cpu_exchange(world, *on_cpu);
    for (int step = 0; step < 2; ++step) {
      loss_of(on_cpu, input_of(world.rank())).backward();
      cpu_exchange.average();
      loss_of(net, input_of(world.rank()).to(torch::kCUDA)).backward();
      exchange.average();
    }
    EXPECT_TRUE(net->parameters()[0].grad().is_cuda());
    std::vector<torch::Tensor> found;
    for (const torch::Tensor& gradient : gradients_of(net)) found.push_back(gradient.cpu());
    expect_close(found, gradients_of(on_cpu));
  });
}

TEST(Exchange, RefusesWhatItCannotDo) {
  on_workers(exec::Fabric::kThreads, 1, [](World& world) {
    torch::nn::Linear net(2, 2);
    EXPECT_THROW(Exchange(world, *net, {.strategy = "parameter-server"}).average(), Error);
    EXPECT_THROW(Exchange(world, *net, {.strategy = "ring", .servers = 1}), Error);
    EXPECT_THROW(Exchange(world, *net, {.strategy = "parameter-server", .servers = 1}), Error);
    EXPECT_THROW(Exchange(world, *net, {.clip_norm = -1}), Error);
    EXPECT_THROW(Exchange(world, *net, {.strategy = "wheel"}), Error);
    EXPECT_THROW(Exchange(world, *net, {.bucket_bytes = 0}), Error);
    net->to(torch::kHalf);
    EXPECT_THROW(Exchange(world, *net), Error);
    torch::nn::Linear fine(2, 2);
    EXPECT_THROW(Exchange(world, *fine).samples(-1), Error);
  });
}

TEST(Exchange, TellsTheOthersWhenAnExceptionEndsALoop) {
  for (const exec::Fabric fabric : kFabrics) {
    exec::run_on(fabric, 3, [&](wire::Wire& wire) {
      World world = world_on(wire);
      torch::nn::Sequential net = net_of(world.rank());
      try {
        Exchange exchange(world, *net);
        if (world.rank() == 2) throw std::runtime_error("the loss is no number");
        exchange.average();
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("rank 2")) << exec::name(fabric);
      } catch (const std::runtime_error&) {
        EXPECT_EQ(world.rank(), 2);
      }
    });
  }
}

// Its thread is in the middle of a round then, and must not wait for the deadline to end.
TEST(Exchange, TellsTheOthersWhenALoopEndsWhileAThreadExchanges) {
  ExchangeOptions options;
  options.bucket_bytes = 32;
  options.drive = ExchangeOptions::Drive::kThread;
  for (const exec::Fabric fabric : kFabrics) {
    exec::run_on(fabric, 3, [&](wire::Wire& wire) {
      World world = world_on(wire);
      torch::nn::Sequential net = net_of(world.rank());
      try {
        Exchange exchange(world, *net, options);
        for (int step = 0; step < 5; ++step) {
          const torch::Tensor loss = loss_of(net, input_of(world.rank()));
          if (world.rank() == 2 && step == 3) throw std::runtime_error("the loss is no number");
          loss.backward();
          exchange.average();
        }
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("rank 2")) << exec::name(fabric);
        EXPECT_NE(error.failure().cause, Failure::Cause::kTimeout) << exec::name(fabric);
      } catch (const std::runtime_error&) {
        EXPECT_EQ(world.rank(), 2);
      }
    });
  }
}

// Also where nothing is exchanged during backward.
TEST(Exchange, NoticesAnAverageThatWasForgotten) {
  for (const auto drive : {ExchangeOptions::Drive::kAfter, ExchangeOptions::Drive::kHooks}) {
    exec::run_on(exec::Fabric::kThreads, 2, [&](wire::Wire& wire) {
      World world = world_on(wire);
      torch::nn::Sequential net = net_of(world.rank());
      ExchangeOptions options;
      options.drive = drive;
      try {
        Exchange exchange(world, *net, options);
        for (int step = 0; step < 5; ++step) {
          loss_of(net, input_of(world.rank())).backward();
          if (world.rank() == 0 || step != 2) exchange.average();
        }
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("backward ran again before "));
        EXPECT_THAT(error.what(), HasSubstr(world.rank() == 0 ? "rank 1" : ""));
      }
    });
  }
}

TEST(Exchange, FollowsOneWorkerWithAllSamples) {
  constexpr int kSteps = 50;
  constexpr std::int64_t kBatch = 4;
  constexpr Rank kWorkers = 4;
  const auto batch = [](int step) {
    const torch::Tensor numbers = torch::arange(kWorkers * kBatch * 5, torch::kFloat32) + 31 * step;
    return numbers.remainder(17).div(17).sub(0.5).reshape({kWorkers * kBatch, 5});
  };
  const auto train = [&](torch::nn::Sequential& net, const auto& samples_of, const auto& average) {
    torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
    for (int step = 0; step < kSteps; ++step) {
      optimizer.zero_grad();
      loss_of(net, samples_of(step)).backward();
      average();
      optimizer.step();
    }
  };
  torch::nn::Sequential serial = net_of(0);
  train(serial, batch, [] {});
  on_workers(exec::Fabric::kShmThreads, kWorkers, [&](World& world) {
    torch::nn::Sequential net = net_of(world.rank());
    Exchange exchange(world, *net);
    const std::int64_t first = world.rank() * kBatch;
    train(
        net, [&](int step) { return batch(step).slice(0, first, first + kBatch); },
        [&] { exchange.average(); });
    for (std::size_t i = 0; i < net->parameters().size(); ++i) {
      EXPECT_TRUE(torch::allclose(net->parameters()[i], serial->parameters()[i], 1e-4, 1e-5));
    }
  });
}

}  // namespace
}  // namespace trireme::libtorch
