// Checkpoints of a program with its own loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/checkpoint.h>

#include <array>
#include <string>

#include "api/world_test_util.h"
#include "launch/launch_test_util.h"
#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace own_loop {

using testing::HasSubstr;

constexpr std::size_t kSamples = 40;

// What a program learns from step to step.
struct Loop {
  explicit Loop(World& world, const std::string& run, ExchangeOptions options = {.strategy = "ring"})
      : net(net_of(0)),
        exchange(world, *net, std::move(options)),
        optimizer(net->parameters(), torch::optim::AdamOptions(0.01)),
        sampler(kSamples, exchange.workers(), 3),
        checkpoint(exchange, run) {
    checkpoint.add(optimizer).add(sampler).add("mean", mean).add("best", best).add("seen", seen);
  }
  // Asks for batches beyond the end of an epoch, too.
  void take_step() {
    auto batch = sampler.next(4);
    if (!batch) {
      sampler.reset();
      batch = sampler.next(4);
    }
    torch::Tensor input = torch::zeros({4, 5});
    for (std::int64_t i = 0; i < 4; ++i)
      input[i].fill_(0.1 * static_cast<double>((*batch)[static_cast<std::size_t>(i)]));
    optimizer.zero_grad();
    loss_of(net, input).backward();
    exchange.average();
    optimizer.step();
    mean.mul_(0.9).add_(input.mean());
    best += 0.125;
    ++seen;
  }
  [[nodiscard]] std::string all() const {
    return weights_of(net) + bytes_of({mean}) + std::to_string(best) + std::to_string(seen);
  }

  torch::nn::Sequential net;
  Exchange exchange;
  torch::optim::Adam optimizer;
  ShardedSampler sampler;
  torch::Tensor mean = torch::zeros({});
  double best = 0;
  std::int64_t seen = 0;
  Checkpoint checkpoint;
};

TEST(Checkpoint, LetsALoopWithAnOptimizerGoOnWithTheSameBits) {
  const ScratchFolder run;
  const auto train = [&](std::int64_t steps, bool saves) {
    std::string all;
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      Loop loop(world, run.path());
      std::int64_t step = saves ? loop.checkpoint.load() : 0;
      for (++step; step <= steps; ++step) {
        loop.take_step();
        if (saves && step % 2 == 0) loop.checkpoint.save(step);
      }
      loop.exchange.finish();
      if (world.rank() == 0) all = loop.all();
    });
    return all;
  };
  const std::string expected = train(13, false);  // 5 steps in an epoch
  train(3, true);
  train(9, true);
  EXPECT_EQ(train(13, true), expected);
}

TEST(Checkpoint, LetsTheRuleOfServersGoOn) {
  const ScratchFolder run;
  const ExchangeOptions options{.strategy = "parameter-server", .servers = 1, .bucket_bytes = 64};
  const auto train = [&](int steps, bool saves) {
    std::string weights;
    on_workers(exec::Fabric::kShmThreads, 3, [&](World& world) {
      torch::nn::Sequential net = net_of(0);
      if (world.rank() == 2) return serve(world, *net, options);
      Exchange exchange(world, *net, options);
      Checkpoint checkpoint(exchange, run.path());
      for (std::int64_t step = saves ? checkpoint.load() + 1 : 1; step <= steps; ++step) {
        loss_of(net, input_of(world.rank()).add(0.01 * static_cast<double>(step))).backward();
        exchange.step(default_rule(RuleKind::kAdam));
        if (saves) checkpoint.save(step);
      }
      if (saves) checkpoint.wait();
      exchange.finish();
      if (world.rank() == 0) weights = weights_of(net);
    });
    return weights;
  };
  const std::string expected = train(6, false);
  train(4, true);
  EXPECT_EQ(train(6, true), expected);
}

TEST(Checkpoint, GoesOnAtTheSameSamplesWithOtherWorkers) {
  const ScratchFolder run;
  on_workers(exec::Fabric::kThreads, 2, [&](World& world) {
    Loop loop(world, run.path());
    for (int step = 1; step <= 3; ++step) loop.take_step();  // 24 of 40 samples
    loop.checkpoint.save(3);
    loop.exchange.finish();
  });
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    Loop loop(world, run.path());
    EXPECT_EQ(loop.checkpoint.load(), 3);
    EXPECT_EQ(loop.seen, 3);
    loop.sampler.reset();
    int batches = 0;
    while (loop.sampler.next(4)) ++batches;
    EXPECT_EQ(batches, (40 - 24) / 4);
  });
}

TEST(Checkpoint, SaysWhatItDoesNotHave) {
  const ScratchFolder run;
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(0);
    Exchange exchange(world, *net);
    Checkpoint plain(exchange, run.path());
    EXPECT_EQ(plain.load(), 0);
    plain.save(7);
    plain.wait();
    EXPECT_EQ(plain.load(), 7);
    double best = 0;
    Checkpoint with_number(exchange, run.path());
    with_number.add("best", best);
    EXPECT_THAT(thrown_by([&] { with_number.load(); }), HasSubstr("has no number 'best'"));
    EXPECT_THAT(thrown_by([&] { with_number.add("best", best); }), HasSubstr("two things named 'best'"));
    torch::Tensor mean = torch::zeros({3});
    Checkpoint with_tensor(exchange, run.path());
    with_tensor.add("mean", mean);
    EXPECT_THAT(thrown_by([&] { with_tensor.load(); }), HasSubstr("has no 'mean'"));
    with_tensor.save(8);
    with_tensor.wait();
    mean = torch::zeros({4});
    EXPECT_THAT(thrown_by([&] { with_tensor.load(); }),
                HasSubstr("mean is F32 4 here and F32 3 in the checkpoint"));
  });
}

TEST(Checkpoint, KeepsTheNewest) {
  const ScratchFolder run;
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(0);
    Exchange exchange(world, *net);
    Checkpoint checkpoint(exchange, run.path());
    checkpoint.keep(1);
    for (int step = 1; step <= 3; ++step) checkpoint.save(step);
    checkpoint.wait();
  });
  EXPECT_FALSE(std::filesystem::exists(run.path() / "checkpoints/step-2"));
  EXPECT_TRUE(std::filesystem::exists(run.path() / "checkpoints/step-3/DONE"));
}

TEST(Checkpoint, ThatCannotBeWrittenIsAnErrorForWhoeverWaits) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "file";
  std::ofstream(file) << "no folder";
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(0);
    Exchange exchange(world, *net);
    Checkpoint checkpoint(exchange, file);
    testing::internal::CaptureStderr();
    checkpoint.save(1);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("trireme: no checkpoint of step 1: "));
  });
}

}  // namespace own_loop
}  // namespace trireme::libtorch
