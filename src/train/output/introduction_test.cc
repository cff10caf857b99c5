#include "train/output/introduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Introduction four_workers(const std::string& strategy) {
  const rounds::BucketLayout bucket{exec::ElementType::kFloat32, 100'000};
  Introduction introduction;
  introduction.workers = 4;
  introduction.connection = "4 nodes on one host, through shared memory";
  introduction.strategy = strategy;
  introduction.plan = plan_step({strategy, wire::WireKind::kShm, true, 4}, std::span(&bucket, 1));
  introduction.parameters = 100'000;
  introduction.blas = Blas{"OpenBLAS with OpenMP", "/lib/libblas.so.3", true};
  return introduction;
}

TEST(Introduction, TellsTheWorldTheStrategyTheCostAndTheMeans) {
  EXPECT_THAT(
      lines_of(four_workers("auto")),
      ElementsAre("4 workers: 4 nodes on one host, through shared memory",
                  "auto takes direct, fastest in built-in measurements on 2 cores: wire shm, 4 workers, "
                  "above 4,096 bytes",
                  "100,000 parameters in 1 bucket, exchanged after backward: 24 messages and 2.4 MB per step",
                  "1 thread per worker, BLAS: OpenBLAS with OpenMP"));
}

TEST(Introduction, RepeatsTheStrategyThatWasAskedFor) {
  EXPECT_EQ(lines_of(four_workers("ring"))[1], "strategy ring, as asked for");
}

TEST(Introduction, OfNoStrategySpeaksOfNoExchange) {
  Introduction introduction = four_workers("ring");
  introduction.strategy = "none";
  introduction.plan.messages = introduction.plan.bytes = 0;
  EXPECT_EQ(lines_of(introduction)[1],
            "strategy none: each worker trains by itself; no gradients are exchanged");
  EXPECT_EQ(lines_of(introduction)[2], "100,000 parameters in 1 bucket: 0 messages and 0 bytes per step");
}

TEST(Introduction, NamesServersWhereThereAreSome) {
  Introduction introduction = four_workers("parameter-server");
  introduction.servers = 2;
  introduction.connection = "6 nodes by TCP";
  EXPECT_EQ(lines_of(introduction)[0], "4 workers and 2 servers: 6 nodes by TCP");
}

std::vector<std::string> lines_in(const char* mode, const char* staleness_rate = "workers") {
  Introduction introduction = four_workers("parameter-server");
  introduction.servers = 1;
  introduction.mode = plan::parse_mode(mode, "a test");
  introduction.staleness_rate = staleness_rate;
  introduction.plan.messages = 2;
  introduction.plan.bytes = 800'000;
  introduction.placement = {{.rank = 4, .elements = 100'000, .variables = {"w"}}};
  return lines_of(introduction);
}

TEST(Introduction, TellsTheModeTheUpdateAndTheServers) {
  EXPECT_THAT(lines_in("async"),
              ElementsAre(HasSubstr("4 workers and 1 server: "), "strategy parameter-server, as asked for",
                          "mode async: a gradient is applied when it comes, and nobody waits for others",
                          "learning rates are divided by the number of workers (exchange.staleness_rate)",
                          "100,000 parameters: 2 messages and 800 kB per update",
                          "server S1 (rank 4) holds 400 kB of 1 variable",
                          "1 thread per worker, BLAS: OpenBLAS with OpenMP"));
}

TEST(Introduction, SaysWhoWaitsForWhom) {
  EXPECT_EQ(lines_in("ssp:2")[2],
            "mode ssp:2: a gradient is applied when it comes; who is 3 steps ahead of the slowest waits");
  EXPECT_EQ(lines_in("backup:1")[2],
            "mode backup:1: each step takes the first 3 of 4 gradients and drops the others");
}

TEST(Introduction, SaysWhatDividesLearningRates) {
  EXPECT_EQ(lines_in("async", "none")[3], "learning rates are not divided (exchange.staleness_rate)");
  EXPECT_EQ(lines_in("async", "staleness")[3],
            "learning rates are divided by the staleness of each gradient (exchange.staleness_rate)");
  EXPECT_THAT(lines_in("backup:1"), testing::Not(testing::Contains(HasSubstr("learning rates"))));
}

TEST(Introduction, KnowsTheRemedyForASlowBlas) {
  Introduction introduction = four_workers("ring");
  introduction.blas = Blas{"the reference BLAS", "/lib/blas/libblas.so.3", false};
  EXPECT_EQ(lines_of(introduction).back(),
            "1 thread per worker, BLAS: the reference BLAS, many times slower than others; try apt-get "
            "install libopenblas0-openmp");
}

TEST(Introduction, SaysWhoHasTheCores) {
  Introduction introduction = four_workers("ring");
  introduction.nodes_here = 4;
  introduction.cores = 4;
  EXPECT_THAT(lines_of(introduction).back(), testing::StartsWith("1 thread per worker, BLAS"));
  introduction.cores = 2;
  EXPECT_EQ(lines_of(introduction).back(),
            "4 nodes share 2 cores and take turns: more workers than cores train no faster");
  introduction.cores = 8;
  introduction.threads = 2;
  EXPECT_EQ(lines_of(introduction).back(),
            "train.threads is 0: workers share all 8 cores; give a number to leave some to other programs");
  introduction.nodes_here = 1;
  introduction.threads = 8;
  EXPECT_EQ(
      lines_of(introduction).back(),
      "train.threads is 0: the worker takes all 8 cores; give a number to leave some to other programs");
  introduction.threads_are_chosen = true;
  EXPECT_THAT(lines_of(introduction).back(), testing::StartsWith("8 threads per worker, BLAS"));
}

TEST(Introduction, OfOneWorkerChoosesNothing) {
  Introduction introduction = four_workers("auto");
  introduction.workers = 1;
  EXPECT_THAT(lines_of(introduction), testing::Contains(HasSubstr("one worker alone exchanges nothing")));
  EXPECT_THAT(lines_of(introduction), testing::Not(testing::Contains(HasSubstr("auto takes"))));
}

}  // namespace
}  // namespace trireme::train
