#include "train/train_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_test_util.h"

namespace trireme::train {
namespace {

using testing::HasSubstr;

TrainConfig small_config() {
  TrainConfig config;
  config.model.kind = ModelKind::kMlp;
  config.data.kind = DataKind::kSynthetic;
  config.data.train_samples = 100;
  config.data.test_samples = 10;
  config.data.batch = 8;
  config.exchange.workers = 4;
  return config;
}

TEST(TrainJob, MakesDataOfTheUsualShape) {
  TrainConfig config = small_config();
  const data::Split split = load_data(config);
  EXPECT_EQ(split.train.samples, 100);
  EXPECT_EQ(split.test.samples, 10);
  EXPECT_EQ(split.train.shape, std::vector<std::int64_t>{20});
}

TEST(TrainJob, RefusesWhatDoesNotFitTogether) {
  TrainConfig config = small_config();
  config.model.kind = ModelKind::kCnn;
  EXPECT_THAT(data::refusal_of([&] { return load_data(config); }), HasSubstr("the model cnn takes images"));
  config = small_config();
  config.data.batch = 26;
  EXPECT_THAT(data::refusal_of([&] { return load_data(config); }),
              HasSubstr("a batch of 26 is larger than a worker's shard"));
}

TEST(TrainJob, LetsACosineGoToItsEnd) {
  TrainConfig config = small_config();
  config.schedule.kind = optim::ScheduleKind::kCosine;
  (void)load_data(config);
  EXPECT_EQ(config.schedule.total_steps, 12);
  config.schedule.total_steps = 0;
  config.schedule.warmup_steps = 12;
  EXPECT_NE(data::refusal_of([&] { return load_data(config); }), "accepted");
}

TEST(TrainJob, NamesThePackageOfAMissingDataSet) {
  TrainConfig config = small_config();
  config.data.kind = DataKind::kIdx;
  config.data.path = "/nowhere";
  EXPECT_THAT(data::refusal_of([&] { return load_data(config); }), HasSubstr("/nowhere"));
}

TEST(TrainJob, HasTheStepsOfItsEpochsOrSoManyAsAreGiven) {
  TrainConfig config = small_config();
  const data::Split split = load_data(config);
  const data::ShardedOrder order = order_of(config, split.train, 3);
  EXPECT_EQ(order.batches_per_epoch(), 4);  // the last of 4 samples
  EXPECT_EQ(steps_of(config, order), 12);
  config.train.steps = 7;
  EXPECT_EQ(steps_of(config, order), 7);
}

}  // namespace
}  // namespace trireme::train
