// Whole trainings in modes other than sync: what they count, record, replay and go on from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "base/exit_status.h"
#include "checkpoint/saved.h"
#include "launch/launch_test_util.h"
#include "report/exchange_report.h"
#include "train/replayed_schedule.h"
#include "train/start.h"
#include "trainer/worker.h"

namespace trireme::trainer {
namespace free_training {

using testing::HasSubstr;

constexpr Rank kWorkers = 3;
constexpr std::int64_t kSteps = 10;  // 5 in an epoch, the last of 4 samples, of which one worker has 2

train::TrainJob small_job(const std::string& mode, Rank servers = 1) {
  train::TrainJob job;
  job.config.model.kind = train::ModelKind::kMlp;
  job.config.model.hidden = {16};
  job.config.data.kind = train::DataKind::kSynthetic;
  job.config.data.train_samples = 100;
  job.config.data.test_samples = 50;
  job.config.data.batch = 8;
  job.config.train.epochs = 2;
  job.config.exchange.workers = kWorkers;
  job.config.exchange.servers = servers;
  job.config.exchange.strategy = "parameter-server";
  job.config.exchange.mode = plan::parse_mode(mode, "a test");
  job.data = train::load_data(job.config);
  job.json = true;
  job.started = std::chrono::steady_clock::now();
  return job;
}

struct Trained {
  int status;
  std::string out, err;

  [[nodiscard]] report::Json summary() const { return report::Json::parse(out); }
  [[nodiscard]] std::string digest() const { return summary().at("weights_sha256"); }
};

Trained train(const train::TrainJob& job, const std::string& wire = "shm") {
  train::StartOptions options;
  options.nodes =
      job.config.run.replay.empty() ? job.config.exchange.workers + job.config.exchange.servers : 1;
  options.wire = wire::parse_wire(wire, "train");
  options.timeout = std::chrono::seconds(20);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = train::run_here(options, [&](World& world) { take_part(world, job); });
  std::string err = testing::internal::GetCapturedStderr();
  Trained trained{status, testing::internal::GetCapturedStdout(), std::move(err)};
  EXPECT_EQ(status, kExitDone) << trained.err;
  return trained;
}

// The digest of the weights to which the schedule in the folder of a job leads.
std::string replayed(train::TrainJob job) {
  job.config.run.replay = job.config.run.out + "/schedule.jsonl";
  job.config.run.out = job.config.run.save = "";
  job.from.reset();
  job.config.train.slow.clear();
  return train(job, "threads").digest();
}

std::int64_t sum_of_staleness(const report::Json& summary) {
  std::int64_t sum = 0;
  std::int64_t staleness = 0;
  for (const report::Json& count : summary.at("staleness").at("histogram")) {
    sum += staleness++ * count.get<std::int64_t>();
  }
  return sum;
}

TEST(AFreeTraining, CountsWhatWasPlanned) {
  for (const char* mode : {"async", "ssp:2", "backup:1"}) {
    for (const char* wire : {"shm", "tcp", "threads"}) {
      for (const Rank servers : {1, 2}) {
        const report::Json summary = train(small_job(mode, servers), wire).summary();
        SCOPED_TRACE(summary.dump());
        const std::int64_t gradients =
            summary.at("updates").get<std::int64_t>() + summary.at("dropped").get<std::int64_t>();
        EXPECT_EQ(summary.at("mode"), mode);
        EXPECT_EQ(summary.at("steps"), kSteps);
        EXPECT_EQ(summary.at("messages"), summary.at("messages_planned"));
        EXPECT_EQ(summary.at("bytes"), summary.at("bytes_planned"));
        EXPECT_EQ(summary.at("duplicates"), 0);
        if (summary.at("mode") == "backup:1") {
          EXPECT_EQ(summary.at("updates"), kSteps * (kWorkers - 1));
          EXPECT_LE(gradients, kSteps * kWorkers);
        } else {
          EXPECT_EQ(summary.at("updates"), kSteps * kWorkers);
          EXPECT_EQ(summary.at("messages"), 2 * servers * gradients);
        }
      }
    }
  }
}

// It holds whatever the speeds.
TEST(AFreeTraining, HasTheStalenessOfTheLaw) {
  constexpr std::int64_t kGradients = kSteps * kWorkers;
  train::TrainJob job = small_job("async");
  for (const bool is_one_slow : {false, true}) {
    if (is_one_slow) job.config.train.slow = {{1, 5}};
    EXPECT_EQ(sum_of_staleness(train(job).summary()), (kWorkers - 1) * (2 * kGradients - kWorkers) / 2);
  }
}

TEST(AFreeTraining, TakesNoStaleGradientsInRounds) {
  EXPECT_EQ(sum_of_staleness(train(small_job("backup:1")).summary()), 0);
}

TEST(AFreeTraining, IsReplayedBitByBit) {
  for (const char* mode : {"async", "ssp:1", "ssp:3", "backup:1", "backup:2"}) {
    for (const Rank servers : {1, 2}) {
      const ScratchFolder folder;
      train::TrainJob job = small_job(mode, servers);
      job.config.run.out = folder.path().string();
      const std::string digest = train(job).digest();
      EXPECT_EQ(replayed(job), digest) << mode << " with " << servers;
    }
  }
}

TEST(AFreeTraining, IsReplayedWithAllThatAJobCanHave) {
  const ScratchFolder folder;
  train::TrainJob job = small_job("async", 2);
  job.config.run.out = folder.path().string();
  job.config.optimizer = default_rule(RuleKind::kAdamW);
  job.config.clip_norm = 0.5;
  job.config.exchange.staleness_rate = "staleness";
  job.config.groups = {{.match = "*.bias", .weight_decay = 0}};
  job.config.schedule = {.kind = optim::ScheduleKind::kStep, .every_steps = 3, .gamma = 0.5};
  job.config.train.slow = {{0, 2}};
  const std::string digest = train(job).digest();
  EXPECT_EQ(replayed(job), digest);
}

TEST(AFreeTraining, OfOneWorkerIsSerial) {
  train::TrainJob job = small_job("async");
  job.config.exchange.workers = 1;
  std::set<std::string> digests = {train(job).digest()};
  job.config.exchange.mode = {};
  digests.insert(train(job).digest());
  EXPECT_EQ(digests.size(), 1U);
}

// Checkpoints are cuts: all workers have left the phase before it.
TEST(AFreeTraining, SavesAfterSoManyStepsOfAllWorkers) {
  for (const char* mode : {"async", "ssp:2", "backup:1"}) {
    const ScratchFolder folder;
    train::TrainJob job = small_job(mode, 2);
    job.config.run.out = folder.path().string();
    job.config.run.checkpoint_every.steps = 4;
    job.config.run.keep = 0;
    const std::string digest = train(job).digest();
    std::set<std::string> steps;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "checkpoints")) {
      if (std::filesystem::exists(entry.path() / "DONE")) steps.insert(entry.path().filename());
    }
    EXPECT_EQ(steps, (std::set<std::string>{"step-4", "step-8", "step-10"})) << mode;
    EXPECT_EQ(replayed(job), digest) << mode;
  }
}

train::TrainJob going_on(train::TrainJob job, std::int64_t step) {
  job.from = checkpoint::Saved::open(std::filesystem::path(job.config.run.out) / "checkpoints" /
                                     ("step-" + std::to_string(step)));
  return job;
}

// It ends as its whole schedule does, that of the steps before included.
TEST(AFreeTraining, GoesOnWithWeightsStateVersionsAndSchedule) {
  for (const char* mode : {"async", "ssp:2", "backup:1"}) {
    for (const Rank servers : {1, 2}) {
      const ScratchFolder folder;
      train::TrainJob job = small_job(mode, servers);
      job.config.run.out = folder.path().string();
      job.config.train.steps = 4;
      static_cast<void>(train(job));
      job.config.train.steps = kSteps;
      const std::string digest = train(going_on(job, 4)).digest();
      EXPECT_EQ(replayed(job), digest) << mode << " with " << servers;
    }
  }
}

// As after a crash: lines of gradients after the checkpoint are there, and are replaced.
TEST(AFreeTraining, GoesOnFromAnEarlierCheckpointOfItsSchedule) {
  const ScratchFolder folder;
  train::TrainJob job = small_job("async", 2);
  job.config.run.out = folder.path().string();
  job.config.run.checkpoint_every.steps = 4;
  job.config.run.keep = 0;
  static_cast<void>(train(job));
  const std::string digest = train(going_on(job, 4)).digest();
  EXPECT_EQ(replayed(job), digest);
}

TEST(AFreeTraining, GoesOnInAnotherWayWithoutASchedule) {
  train::TrainJob other_mode = small_job("ssp:1");
  train::TrainJob other_workers = small_job("async");
  other_workers.config.exchange.workers = 2;
  for (train::TrainJob& other : {std::ref(other_mode), std::ref(other_workers)}) {
    const ScratchFolder folder;
    train::TrainJob job = small_job("async");
    job.config.run.out = other.config.run.out = folder.path().string();
    job.config.train.steps = 4;
    other.config.train.steps = 6;
    static_cast<void>(train(job));
    const Trained trained = train(going_on(other, 4));
    EXPECT_THAT(trained.err, HasSubstr("there will be no schedule.jsonl"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "schedule.jsonl"));
    EXPECT_EQ(trained.summary().at("updates"), 2 * other.config.exchange.workers);
  }
}

TEST(AFreeTraining, GoesOnAfterASynchronousOneAndBefore) {
  const ScratchFolder folder;
  train::TrainJob job = small_job("sync");
  job.config.run.out = folder.path().string();
  job.config.train.steps = 2;
  static_cast<void>(train(job));
  job.config.exchange.mode = plan::parse_mode("async", "a test");
  job.config.train.steps = 4;
  EXPECT_EQ(train(going_on(job, 2)).summary().at("updates"), 2 * kWorkers);
  job.config.exchange.mode = {};
  job.config.train.steps = 6;
  EXPECT_EQ(train(going_on(job, 4)).summary().at("steps"), 6);
}

TEST(AFreeTraining, WithNothingLeftToTrainEvaluatesAlone) {
  train::TrainJob job = small_job("async");
  job.config.train.epochs = 0;
  const report::Json summary = train(job).summary();
  EXPECT_EQ(summary.at("updates"), 0);
  EXPECT_EQ(summary.at("messages"), 0);
}

TEST(AReplay, TellsTheDistanceToSequentialStepsAndItsBound) {
  const ScratchFolder folder;
  train::TrainJob job = small_job("async");
  job.config.run.out = folder.path().string();
  job.config.optimizer = default_rule(RuleKind::kSgd);
  static_cast<void>(train(job));
  job.config.run.replay = job.config.run.out + "/schedule.jsonl";
  job.config.run.out = "";
  EXPECT_THAT(
      train(job, "threads").err,
      testing::ContainsRegex("after as many updates one after the other, weights differ by [0-9.e-]+ .norm.; "
                             "the bound is [0-9]+ηΔ = [0-9.]+"));
}

TEST(AReplay, CountsWhatTheRunCounted) {
  const ScratchFolder folder;
  train::TrainJob job = small_job("backup:1", 2);
  job.config.run.out = folder.path().string();
  const report::Json run = train(job).summary();
  job.config.run.replay = job.config.run.out + "/schedule.jsonl";
  job.config.run.out = "";
  const report::Json again = train(job, "threads").summary();
  for (const char* key : {"mode", "updates", "dropped", "staleness", "steps", "workers", "servers"}) {
    EXPECT_EQ(again.at(key), run.at(key)) << key;
  }
}

}  // namespace free_training
}  // namespace trireme::trainer
