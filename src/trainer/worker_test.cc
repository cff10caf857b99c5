// Whole trainings, small ones.
#include "trainer/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/exit_status.h"
#include "launch/launch_test_util.h"
#include "report/exchange_report.h"
#include "train/start.h"

namespace trireme::trainer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

train::TrainJob small_job(const std::string& strategy, Rank servers = 0) {
  train::TrainJob job;
  job.config.model.kind = train::ModelKind::kMlp;
  job.config.model.hidden = {16};
  job.config.data.kind = train::DataKind::kSynthetic;
  job.config.data.train_samples = 100;
  job.config.data.test_samples = 50;
  job.config.data.batch = 8;
  job.config.train.epochs = 2;
  job.config.train.log_every = 3;
  job.config.exchange.workers = 3;
  job.config.exchange.servers = servers;
  job.config.exchange.strategy = strategy;
  job.config_text = "# as resolved\n";
  job.data = train::load_data(job.config);
  job.json = true;
  job.started = std::chrono::steady_clock::now();
  return job;
}

struct Trained {
  int status;
  std::string out, err;

  [[nodiscard]] report::Json summary() const { return report::Json::parse(out); }
};
Trained train(const train::TrainJob& job, const std::string& wire) {
  train::StartOptions options;
  options.nodes = job.config.exchange.workers + job.config.exchange.servers;
  options.wire = wire::parse_wire(wire, "train");
  options.timeout = std::chrono::seconds(20);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = train::run_here(options, [&](World& world) { take_part(world, job); });
  std::string err = testing::internal::GetCapturedStderr();
  return {status, testing::internal::GetCapturedStdout(), std::move(err)};
}

TEST(Training, EndsWithTheSameWeightsByEveryStrategyAndWire) {
  std::set<std::string> digests;
  for (const char* wire : {"shm", "tcp", "threads"}) {
    for (const char* strategy : {"auto", "all-to-all", "ring", "direct"}) {
      const Trained trained = train(small_job(strategy), wire);
      ASSERT_EQ(trained.status, kExitDone) << wire << strategy << trained.err;
      digests.insert(trained.summary().at("weights_sha256").get<std::string>());
    }
    for (const Rank servers : {0, 1, 2}) {
      const Trained trained = train(small_job("parameter-server", servers), wire);
      ASSERT_EQ(trained.status, kExitDone) << wire << servers << trained.err;
      digests.insert(trained.summary().at("weights_sha256").get<std::string>());
    }
  }
  EXPECT_EQ(digests.size(), 1U);
}

TEST(Training, CountsWhatWasPlanned) {
  const report::Json summary = train(small_job("ring"), "shm").summary();
  EXPECT_EQ(summary.at("steps"), 10);  // 5 in an epoch, the last of 4 samples
  EXPECT_EQ(summary.at("messages"), 10 * 2 * 3 * 2);
  EXPECT_EQ(summary.at("messages_planned"), summary.at("messages"));
  EXPECT_EQ(summary.at("bytes"), summary.at("bytes_planned"));
  EXPECT_GT(summary.at("other").at("messages"), 0);
}

TEST(Training, CountsWhatServersSend) {
  const report::Json summary = train(small_job("parameter-server", 2), "tcp").summary();
  EXPECT_EQ(summary.at("servers"), 2);
  EXPECT_EQ(summary.at("messages"), 10 * 2 * 3 * 2);
  EXPECT_EQ(summary.at("bytes"), summary.at("bytes_planned"));
}

TEST(Training, TellsAboutItselfWhileItGoesOn) {
  const Trained trained = train(small_job("ring"), "threads");
  std::istringstream err(trained.err);
  std::vector<std::string> lines;
  for (std::string line; std::getline(err, line);) lines.push_back(line);
  EXPECT_THAT(
      lines,
      ElementsAre(
          StartsWith("trireme train: 3 workers: 3 nodes, threads of one process"),
          StartsWith("trireme train: strategy ring, as asked for"),
          StartsWith("trireme train: 506 parameters in 1 bucket, exchanged after backward: 12 messages and "),
          StartsWith("trireme train: 1 thread per worker, BLAS: "),
          StartsWith("trireme train: step 1 of 10, "), StartsWith("trireme train: step 3 of 10, "),
          StartsWith("trireme train: epoch 1: test accuracy "), StartsWith("trireme train: step 6 of 10, "),
          StartsWith("trireme train: step 9 of 10, "), StartsWith("trireme train: step 10 of 10, "),
          StartsWith("trireme train: epoch 2: test accuracy ")));
}

TEST(Training, LeavesAFolderBehind) {
  const ScratchFolder folder;
  train::TrainJob job = small_job("direct");
  job.config.run.out = folder.path().string();
  const Trained trained = train(job, "shm");
  EXPECT_EQ(content(folder.path() / "config.toml"), "# as resolved\n");
  EXPECT_EQ(content(folder.path() / "summary.json"), trained.out);
  std::istringstream metrics(content(folder.path() / "metrics.jsonl"));
  std::vector<std::int64_t> steps;
  for (std::string line; std::getline(metrics, line);) steps.push_back(report::Json::parse(line).at("step"));
  EXPECT_THAT(steps, ElementsAre(1, 3, 5, 6, 9, 10, 10, 10));  // the last is of the checkpoint
}

TEST(Training, WithoutAnExchangeSendsNothing) {
  const report::Json summary = train(small_job("none"), "shm").summary();
  EXPECT_EQ(summary.at("strategy"), "none");
  EXPECT_EQ(summary.at("messages"), 0);
  EXPECT_EQ(summary.at("messages_planned"), 0);
  EXPECT_EQ(summary.at("workers"), 3);
}

TEST(Training, PrintsForPeopleUnlessAProgramAsks) {
  train::TrainJob job = small_job("ring");
  job.json = false;
  EXPECT_THAT(train(job, "shm").out, StartsWith("test accuracy "));
}

TEST(Training, StopsWhereALossIsNoNumber) {
  train::TrainJob job = small_job("ring");
  job.config.optimizer.rate = 1e30;
  const Trained trained = train(job, "shm");
  EXPECT_EQ(trained.status, kExitFailed);
  EXPECT_THAT(trained.err.substr(trained.err.rfind("first failure: ")),
              HasSubstr(" of training: the loss is "));
  EXPECT_EQ(trained.out, "");
}

// No step comes after it whose loss could tell.
TEST(Training, StopsWhereTheLastUpdateLeavesNoNumbers) {
  train::TrainJob job = small_job("ring");
  job.config.optimizer.rate = 1e38;
  job.config.train.steps = 1;
  const Trained trained = train(job, "shm");
  EXPECT_EQ(trained.status, kExitFailed);
  EXPECT_THAT(trained.err.substr(trained.err.rfind("first failure: ")), HasSubstr("the test loss is "));
  EXPECT_EQ(trained.out, "");
}

TEST(Training, OfOneWorkerExchangesByNothing) {
  train::TrainJob job = small_job("ring");
  job.config.exchange.workers = 1;
  const report::Json summary = train(job, "shm").summary();
  EXPECT_EQ(summary.at("strategy"), "none");
  EXPECT_EQ(summary.at("wire"), "none");
  EXPECT_EQ(summary.at("messages"), 0);
}

}  // namespace
}  // namespace trireme::trainer
