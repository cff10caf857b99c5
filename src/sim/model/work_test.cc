#include "sim/model/work.h"

#include <gtest/gtest.h>

#include "sim/planner/facts_test_util.h"

namespace trireme::sim {
namespace {

TEST(Work, OfAMasterAndItsWorkersIsThatOfTheFacts) {
  const Work work = work_of(master_and_workers().job);
  EXPECT_EQ(work.batches_per_epoch, 50);
  EXPECT_EQ(work.batches, 500);
  EXPECT_EQ(work.samples_per_round, 9216);
  EXPECT_FALSE(work.device);
}

TEST(Work, OfFederatedDevicesIsThatOfTheFacts) {
  const DeviceWork device = work_of(federated_devices().job).device.value();
  EXPECT_EQ(device.samples, 25'600);
  EXPECT_EQ(device.samples_seen, 256'000);
  EXPECT_EQ(device.batches, 8000);
}

TEST(Work, OfFixedRoundsGrowsWithTheWorkers) {
  Scenario::Job job;
  job.rounds = 10;
  job.workers = 8;
  job.local_steps = 3;
  EXPECT_EQ(work_of(job).batches, 240);
  EXPECT_FALSE(work_of(job).samples_per_round);
  job.batch = 32;
  EXPECT_EQ(work_of(job).samples_per_round, 768);
}

TEST(Work, BeyondAllNumbersIsLeftOut) {
  Scenario::Job job;
  job.rounds = job.local_steps = 1'000'000'000'000;
  EXPECT_FALSE(work_of(job).batches);
}

}  // namespace
}  // namespace trireme::sim
