#include "report/job_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/planner/facts_test_util.h"

namespace trireme::report {
namespace {

using testing::ElementsAre;

TEST(JobWords, SayWhatTheFileSays) {
  EXPECT_THAT(job_words(sim::master_and_workers(), ""),
              ElementsAre("6 workers", "76,800 samples", "batch 1,536", "10 epochs", "receive 1.5 s",
                          "compute 4 s", "send 1.5 s", "aggregate per worker 15 ms"));
  EXPECT_THAT(job_words(sim::synchronous_step(), ""),
              ElementsAre("4 workers", "1 round", "ready after 500 ms"));
}

TEST(JobWords, LeaveOutAKey) {
  sim::Scenario scenario;
  scenario.job.workers = 16;
  scenario.job.rounds = 100;
  scenario.model.parameters = 25'000'000;
  scenario.network.bandwidth = 1.25e9;
  scenario.network.latency = 25 * sim::kMicrosecond;
  scenario.compute.per_batch = 200 * sim::kMillisecond;
  EXPECT_THAT(job_words(scenario, "network.latency"),
              ElementsAre("16 workers", "100 rounds", "25,000,000 parameters of 4 bytes", "10 Gbit/s",
                          "200 ms per batch"));
}

}  // namespace
}  // namespace trireme::report
