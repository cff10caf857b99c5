#include "trainer/numbered_batches.h"

#include <gtest/gtest.h>

#include <vector>

#include "train/train_job.h"

namespace trireme::trainer {
namespace numbered_batches {

// 6 batches in each epoch, the last of 7 samples: of 3 workers one has 3 of them.
train::TrainConfig config_of(Rank workers) {
  train::TrainConfig config;
  config.model.kind = train::ModelKind::kMlp;
  config.data.kind = train::DataKind::kSynthetic;
  config.data.batch = 12 / workers;
  config.data.train_samples = 5 * 12 + 7;
  config.data.test_samples = 10;
  config.exchange.workers = workers;
  return config;
}

void expect_same(const SampleBatch& batch, const SampleBatch& expected, std::int64_t number) {
  ASSERT_EQ(batch.size(), expected.size()) << number;
  EXPECT_TRUE(torch::equal(batch.samples, expected.samples)) << number;
  EXPECT_TRUE(torch::equal(batch.labels, expected.labels)) << number;
}

void expect_those_of_steps(Rank workers, std::int64_t ahead) {
  train::TrainConfig config = config_of(workers);
  const data::Split split = train::load_data(config);
  NumberedBatches numbered(config, split.train, ahead);
  for (Rank worker = 0; worker < workers; ++worker) {
    TrainBatches batches(split.train, train::order_of(config, split.train, worker), ahead);
    for (std::int64_t step = 1; step <= 14; ++step) {
      const std::int64_t number = (step - 1) * workers + worker;
      expect_same(numbered.of(number), batches.of_step(step), number);
    }
  }
}

TEST(NumberedBatches, AreThoseOfTheStepsOfAllWorkers) {
  for (const Rank workers : {1, 3, 4}) expect_those_of_steps(workers, 0);
}

TEST(NumberedBatches, MayBeAheadOfTheSteps) { expect_those_of_steps(3, 4); }

// As asynchronous workers get them.
TEST(NumberedBatches, ComeInAnyOrder) {
  train::TrainConfig config = config_of(3);
  const data::Split split = train::load_data(config);
  NumberedBatches in_order(config, split.train);
  NumberedBatches backwards(config, split.train);
  std::vector<torch::Tensor> samples;
  for (std::int64_t number = 0; number < 40; ++number) samples.push_back(in_order.of(number).samples.clone());
  for (std::int64_t number = 39; number >= 0; --number) {
    EXPECT_TRUE(torch::equal(backwards.of(number).samples, samples[static_cast<std::size_t>(number)]))
        << number;
  }
}

TEST(NumberedBatches, MayHaveNoSamples) {
  train::TrainConfig config = config_of(4);
  config.data.train_samples = 12 + 2;
  const data::Split split = train::load_data(config);
  NumberedBatches batches(config, split.train);
  std::int64_t samples = 0;
  for (std::int64_t number = 4; number < 8; ++number) samples += batches.of(number).size();
  EXPECT_EQ(samples, 2);
}

}  // namespace numbered_batches
}  // namespace trireme::trainer
