// Batches, steps and evaluation, on workers in threads.
#include "trainer/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/system/scratch_folder_test_util.h"
#include "data/data_test_util.h"
#include "libtorch/worlds_test_util.h"
#include "train/train_job.h"
#include "trainer/evaluation.h"
#include "trainer/models.h"

namespace trireme::trainer {
namespace {

using testing::HasSubstr;

// 6 batches in each epoch, the last of 7 samples.
train::TrainConfig small_config(Rank workers) {
  train::TrainConfig config;
  config.model.kind = train::ModelKind::kMlp;
  config.model.hidden = {16, 8};
  config.data.kind = train::DataKind::kSynthetic;
  config.data.batch = 12 / workers;
  config.data.train_samples = 5 * 12 + 7;
  config.data.test_samples = 1001;
  config.data.classes = 4;
  config.optimizer.kind = RuleKind::kMomentum;
  config.optimizer.rate = 0.05;
  config.exchange.workers = workers;
  return config;
}

torch::nn::Sequential net_of(const train::TrainConfig& config, const data::Split& split) {
  return make_model(config.model, split.train.shape, split.train.outputs(), config.train.seed);
}

// The weights after so many steps, and the losses of all of them.
struct Learned {
  std::vector<torch::Tensor> weights;
  std::vector<double> losses;
};
Learned learn(Rank workers, std::int64_t steps) {
  train::TrainConfig config = small_config(workers);
  const data::Split split = train::load_data(config);
  Learned learned;
  libtorch::on_workers(exec::Fabric::kThreads, workers, [&](World& world) {
    torch::set_num_threads(1);
    torch::nn::Sequential net = net_of(config, split);
    Exchange exchange(world, *net);
    Trainer trainer(config, split.train, train::order_of(config, split.train, world.rank()), net, exchange,
                    world.rank());
    for (std::int64_t step = 1; step <= steps; ++step) {
      const std::optional<double> loss = trainer.step(step, true);
      if (world.rank() == 0) learned.losses.push_back(*loss);
    }
    exchange.finish();
    if (world.rank() == 0) {
      for (const torch::Tensor& weight : net->parameters())
        learned.weights.push_back(weight.detach().clone());
    }
  });
  return learned;
}

TEST(TrainBatches, GoThroughEveryEpochWithoutStopping) {
  train::TrainConfig config = small_config(3);
  const data::Split split = train::load_data(config);
  const data::ShardedOrder order = train::order_of(config, split.train, 2);
  TrainBatches batches(split.train, order);
  for (std::int64_t step = 1; step <= 12; ++step) {
    const std::int64_t epoch = (step - 1) / 6;
    const std::vector<std::int64_t> numbers = order.epoch(epoch);
    const auto expected = order.batch_of(numbers, (step - 1) % 6);
    const SampleBatch batch = batches.of_step(step);
    ASSERT_EQ(batch.size(), std::ssize(expected)) << step;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_EQ(batch.labels[at].item<double>(), split.train.labels[idx(expected[i])]);
      EXPECT_EQ(batch.samples[at][3].item<float>(),
                static_cast<float>(split.train.sample(expected[i])[3]) / 255);
    }
    EXPECT_EQ(batches.epoch_of(step), epoch);
    EXPECT_EQ(batches.ends_epoch(step), step % 6 == 0);
    EXPECT_EQ(batches.global_size(step), step % 6 == 0 ? 7 : 12);
  }
}

TEST(TrainBatches, MayBeginAnywhereAndEachLivesUntilTheNext) {
  train::TrainConfig config = small_config(1);
  const data::Split split = train::load_data(config);
  const data::ShardedOrder order = train::order_of(config, split.train, 0);
  TrainBatches all(split.train, order);
  TrainBatches later(split.train, order);
  for (std::int64_t step = 1; step <= 20; ++step) {
    const SampleBatch batch = all.of_step(step);
    if (step < 9 || step % 3 == 0) continue;
    const SampleBatch same = later.of_step(step);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the threads make the next ones meanwhile
    EXPECT_TRUE(torch::equal(batch.samples, same.samples)) << step;
    EXPECT_TRUE(torch::equal(batch.labels, same.labels)) << step;
  }
}

TEST(TrainBatches, ThrowWhatReadingThrows) {
  const ScratchFolder folder;
  train::TrainConfig config = small_config(1);
  const std::vector<float> numbers(200, 0.5);
  config.data.kind = train::DataKind::kNpy;
  config.data.path =
      folder.write("x.npy", data::as_text(data::npy_with(data::npy_dictionary("<f4", "(100, 2)"), numbers)));
  config.data.labels = folder.write(
      "y.npy", data::as_text(data::npy_with(data::npy_dictionary("|u1", "(100,)"), data::ByteString(100))));
  const data::Split split = train::load_data(config);
  TrainBatches batches(split.train, train::order_of(config, split.train, 0));
  EXPECT_EQ(batches.of_step(1).size(), 12);
  std::filesystem::resize_file(config.data.path, 100);
  const auto all = [&] {
    for (std::int64_t step = 2; step <= 4; ++step) (void)batches.of_step(step);  // one may be made already
  };
  EXPECT_THROW(all(), Error);
}

// y = 2a − b, of 200 samples.
TEST(Trainer, LearnsNumbers) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const int a = i % 20 - 10;
    const int b = i / 20 - 5;
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(2 * a - b) + "\n";
  }
  train::TrainConfig config = small_config(1);
  config.model.kind = train::ModelKind::kLinear;
  config.data.kind = train::DataKind::kCsv;
  config.data.path = folder.write("a.csv", text);
  config.data.label = "3";
  config.data.normalize = data::NormalizeKind::kStandard;
  config.train.loss = train::Loss::kMse;
  const data::Split split = train::load_data(config);
  libtorch::on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(config, split);
    EXPECT_EQ(net->parameters()[1].size(0), 1);
    Exchange exchange(world, *net);
    Trainer trainer(config, split.train, train::order_of(config, split.train, world.rank()), net, exchange,
                    world.rank());
    for (std::int64_t step = 1; step <= 200; ++step) (void)trainer.step(step, false);
    exchange.finish();
    const EvaluationSums sums = Evaluator(split.test, 1, 0).evaluate(net);
    EXPECT_EQ(sums.samples, 20);
    EXPECT_LT(sums.loss / sums.samples, 1e-3);
    EXPECT_EQ(sums.correct, 0);
  });
}

TEST(Trainer, FollowsOneWorkerOfALargerBatch) {
  const Learned one = learn(1, 50);
  for (const Rank workers : {2, 3, 4}) {
    const Learned several = learn(workers, 50);
    for (std::size_t i = 0; i < one.weights.size(); ++i) {
      EXPECT_TRUE(torch::allclose(several.weights[i], one.weights[i], 1e-4, 1e-5)) << workers;
    }
    for (std::size_t i = 0; i < one.losses.size(); ++i) {
      EXPECT_NEAR(several.losses[i], one.losses[i], 1e-4) << workers;
    }
  }
}

TEST(Trainer, LearnsSomething) {
  const Learned learned = learn(2, 60);
  EXPECT_LT(learned.losses.back(), 0.7 * learned.losses.front());
}

TEST(Trainer, GoesOnWithWorkersThatHaveNoSamplesInABatch) {
  train::TrainConfig config = small_config(4);
  config.data.train_samples = 12 + 2;  // two of four workers have none in the second batch
  const data::Split split = train::load_data(config);
  libtorch::on_workers(exec::Fabric::kThreads, 4, [&](World& world) {
    torch::nn::Sequential net = net_of(config, split);
    Exchange exchange(world, *net);
    Trainer trainer(config, split.train, train::order_of(config, split.train, world.rank()), net, exchange,
                    world.rank());
    for (std::int64_t step = 1; step <= 4; ++step) EXPECT_TRUE(std::isfinite(*trainer.step(step, true)));
    exchange.finish();
  });
}

TEST(Trainer, StopsWhereTheLossIsNoNumber) {
  train::TrainConfig config = small_config(1);
  config.optimizer.rate = 1e30;
  const data::Split split = train::load_data(config);
  libtorch::on_workers(exec::Fabric::kThreads, 1, [&](World& world) {
    torch::nn::Sequential net = net_of(config, split);
    Exchange exchange(world, *net);
    Trainer trainer(config, split.train, train::order_of(config, split.train, world.rank()), net, exchange,
                    world.rank());
    std::string words;
    try {
      for (std::int64_t step = 1; step <= 4; ++step) trainer.step(step, false);
    } catch (const Error& error) {
      words = error.what();
      EXPECT_NE(error.failure().cause, Failure::Cause::kBadInput);
    }
    EXPECT_THAT(words, testing::MatchesRegex("step [234] of training: the loss is (not a number|infinite); "
                                             "try a lower optimizer.rate, or set optimizer.clip_norm"));
  });
}

TEST(Evaluator, LooksAtEverySampleOnceHoweverManyWorkersThereAre) {
  train::TrainConfig config = small_config(1);
  const data::Split split = train::load_data(config);
  torch::nn::Sequential net = net_of(config, split);
  const EvaluationSums expected = Evaluator(split.test, 1, 0).evaluate(net);
  EXPECT_EQ(expected.samples, 1001);
  EXPECT_TRUE(net->is_training());
  for (const Rank workers : {2, 3, 1002}) {
    EvaluationSums sums;
    for (Rank worker = 0; worker < workers; ++worker) {
      const EvaluationSums part = Evaluator(split.test, workers, worker).evaluate(net);
      sums.loss += part.loss;
      sums.correct += part.correct;
      sums.samples += part.samples;
    }
    EXPECT_EQ(sums.samples, 1001);
    EXPECT_EQ(sums.correct, expected.correct);
    EXPECT_NEAR(sums.loss, expected.loss, 1e-4 * expected.loss);
  }
}

}  // namespace
}  // namespace trireme::trainer
