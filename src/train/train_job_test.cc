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

// 40 rows, of which column 3 has the label.
TrainConfig csv_config(const ScratchFolder& folder) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + "," + std::to_string(100 - i) + "," + std::to_string(i % 3) + "\n";
  TrainConfig config = small_config();
  config.data.kind = DataKind::kCsv;
  config.data.path = folder.write("a.csv", text);
  config.data.label = "3";
  config.data.classes = 0;
  config.data.batch = 2;
  config.data.normalize = data::NormalizeKind::kStandard;
  return config;
}

TEST(TrainJob, HoldsTheSameSamplesBackForTheSameSeed) {
  const ScratchFolder folder;
  TrainConfig config = csv_config(folder);
  const data::Split split = load_data(config);
  EXPECT_EQ(split.train.samples, 36);
  EXPECT_EQ(split.test.samples, 4);
  EXPECT_EQ(split.train.classes, 3);
  EXPECT_EQ(load_data(config), split);
  config.train.seed = 2;
  EXPECT_NE(load_data(config).test.rows, split.test.rows);
}

TEST(TrainJob, KeepsTheNormalizationOfAResumedTraining) {
  const ScratchFolder folder;
  TrainConfig config = csv_config(folder);
  const data::Split first = load_data(config);
  EXPECT_EQ(first.train.normalization.offset.size(), 2U);
  const data::NamedNumbers kept = data::named_numbers(first.train.normalization);
  config.data.path = folder.write("b.csv", "5,1,0\n7,1,2\n9,1,0\n5,1,0\n7,1,2\n9,1,0\n5,1,0\n7,1,2\n9,1,0\n");
  EXPECT_NE(load_data(config).train.normalization, first.train.normalization);
  const data::Split again = load_data(config, data::normalization_of(kept, 2));
  EXPECT_EQ(again.train.normalization, first.train.normalization);
  EXPECT_EQ(again.test.normalization, first.train.normalization);
}

TEST(TrainJob, PredictsNumbersOfMadeUpDataToo) {
  TrainConfig config = small_config();
  config.train.loss = Loss::kMse;
  EXPECT_EQ(load_data(config).train.outputs(), 1);
}

TEST(TrainJob, NamesTheKeyOfAFileThatNobodyNames) {
  TrainConfig config = small_config();
  config.data.kind = DataKind::kNpy;
  EXPECT_THAT(data::refusal_of([&] { return load_data(config); }),
              HasSubstr("data.path does not say which file holds the samples; "));
  config.data.path = "x.npy";
  EXPECT_THAT(data::refusal_of([&] { return load_data(config); }),
              HasSubstr("data.labels does not say which file holds the labels; "));
}

TEST(TrainJob, HasTheStepsOfItsEpochsOrSoManyAsAreGiven) {
  TrainConfig config = small_config();
  const data::Split split = load_data(config);
  const data::ShardedOrder order = order_of(config, split.train, 3);
  EXPECT_EQ(order.batches_per_epoch(), 4);  // the last of 4 samples
  EXPECT_EQ(steps_of(config, order), 12);
  config.train.steps = 7;
  EXPECT_EQ(steps_of(config, order), 7);
  config.train.steps = config.train.epochs = 0;
  EXPECT_EQ(steps_of(config, order), 0);
}

checkpoint::State after_step_6() {
  checkpoint::State state;
  state.step = 6;
  state.epoch = 1;
  state.position = 64;
  state.seed = 1;
  state.workers = 4;
  state.strategy = "auto";
  state.rule = "momentum with rate 0.05, weight decay 0, momentum 0.9";
  state.numbers["batch"] = 8;
  return state;
}

TEST(TrainJob, GoesOnToTheSameEnd) {
  TrainConfig config = small_config();
  const data::Split split = load_data(config);
  const data::ShardedOrder order = order_of(config, split.train, 3);
  const checkpoint::State from = after_step_6();
  EXPECT_EQ(ahead_of_steps(from, order), 0);
  EXPECT_EQ(steps_of(config, order, &from), 12);
  EXPECT_THAT(say_changes(config, order, from), testing::IsEmpty());
  config.train.steps = 5;  // less than what is done
  EXPECT_EQ(steps_of(config, order, &from), 6);
}

// Two workers have 16 samples in a step: 64 samples of the second epoch are 4 of its 7 steps.
TEST(TrainJob, GoesOnAtTheSameSamplesWithOtherSteps) {
  TrainConfig config = small_config();
  config.exchange.workers = 2;
  const data::Split split = load_data(config);
  const data::ShardedOrder order = order_of(config, split.train, 1);
  checkpoint::State from = after_step_6();
  EXPECT_EQ(order.batches_per_epoch(), 7);
  EXPECT_EQ(ahead_of_steps(from, order), 7 + 4 - 6);
  EXPECT_EQ(steps_of(config, order, &from), 3 * 7 - 5);
  from.position = 70;
  EXPECT_EQ(ahead_of_steps(from, order), 7 + 4 - 6);
  EXPECT_THAT(
      say_changes(config, order, from),
      testing::ElementsAre("the number of workers was 4 and is 2 now: sums are added up in another order, "
                           "and the last bits may differ",
                           "a step was 32 samples and is 16 samples now: the same rate moves the weights "
                           "another way through an epoch",
                           "6 samples of this epoch are seen again, because steps begin at multiples of 16"));
}

TEST(TrainJob, SaysWhatElseIsNotAsItWas) {
  TrainConfig config = small_config();
  const data::Split split = load_data(config);
  const data::ShardedOrder order = order_of(config, split.train, 3);
  checkpoint::State from = after_step_6();
  from.servers = 2;
  from.strategy = "ring";
  from.seed = 7;
  from.rule = "sgd with rate 0.1, weight decay 0";
  const std::vector<std::string> changes = say_changes(config, order, from);
  ASSERT_EQ(changes.size(), 4U);
  EXPECT_THAT(changes[0], HasSubstr("the number of servers was 2 and is 0 now: "));
  EXPECT_THAT(changes[1], HasSubstr("the strategy was ring and is auto now: "));
  EXPECT_THAT(changes[2], HasSubstr("the seed was 7 and is 1 now: "));
  EXPECT_THAT(changes[3],
              HasSubstr("the update rule was sgd with rate 0.1, weight decay 0 and is momentum with"));
}

}  // namespace
}  // namespace trireme::train
