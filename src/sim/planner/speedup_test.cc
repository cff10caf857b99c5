#include "sim/planner/speedup.h"
#include "sim/model/cluster_test_util.h"

#include <gtest/gtest.h>

#include "sim/planner/facts_test_util.h"
#include "sim/planner/forecast.h"

namespace trireme::sim {
namespace {

// A ring at 1 Gbit/s: 2 workers exchange 44 MB in 0.352 s and compute for 0.12 s.
Scenario small_network(std::int32_t workers) {
  return behind_a_switch({.workers = workers,
                          .parameters = 11'000'000,
                          .rounds = 10,
                          .bandwidth = 125e6,
                          .per_batch = 120 * kMillisecond});
}

Speedup of(const Scenario& scenario) { return forecast(scenario).speedup; }

TEST(Speedup, ComparesWithOneWorkerForTheSameSamples) {
  const Speedup speedup = of(master_and_workers());
  EXPECT_EQ(speedup.one_worker_s, 2000);  // 500 mini-batches of 4 s
  EXPECT_DOUBLE_EQ(*speedup.factor, 2000 / 595.5);
  EXPECT_DOUBLE_EQ(*speedup.efficiency, 2000 / 595.5 / 6);
  EXPECT_DOUBLE_EQ(*speedup.samples_per_s, 768'000 / 595.5);
}

// More workers do more work in the same number of rounds: one worker alone would need that many rounds for
// each.
TEST(Speedup, OfFixedRoundsComparesTheSameSamples) {
  const Speedup two = of(small_network(2));
  EXPECT_DOUBLE_EQ(*two.one_worker_s, 2 * 10 * 0.12);
  EXPECT_DOUBLE_EQ(*two.factor, 2 * 0.12 / (0.12 + 0.352));
  Scenario with_steps = small_network(2);
  with_steps.job.local_steps = 3;
  EXPECT_DOUBLE_EQ(*of(with_steps).factor, 2 * 0.36 / (0.36 + 0.352));
}

TEST(Speedup, OfOneWorkerIsOne) {
  EXPECT_EQ(of(small_network(1)).factor, 1);
  EXPECT_EQ(of(small_network(1)).efficiency, 1);
}

// With a dedicated server, one worker exchanges too.
TEST(Speedup, OfOneWorkerWithAServerIsLess) {
  Scenario scenario = small_network(1);
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.server.update = 30 * kMillisecond;
  EXPECT_DOUBLE_EQ(*of(scenario).factor, 0.15 / (0.15 + 2 * 0.352));
}

TEST(Speedup, OfDevicesThatExchangeOnceIsNearTheirNumber) {
  const Speedup speedup = of(federated_devices());
  EXPECT_EQ(speedup.one_worker_s, 256'000);
  EXPECT_DOUBLE_EQ(*speedup.factor, 256'000 / 32'014.0);
  EXPECT_DOUBLE_EQ(*speedup.samples_per_s, 2'048'000 / 32'014.0);
}

TEST(Speedup, IsNotSaidWhereWhatOneWorkerTakesIsNotKnown) {
  EXPECT_FALSE(of(synchronous_step()).factor);
  Scenario scenario = small_network(4);
  scenario.compute.per_batch = 0;
  EXPECT_FALSE(of(scenario).factor);
  EXPECT_FALSE(of(scenario).efficiency);
}

TEST(Speedup, KnowsSamplesPerSecondOnlyWithABatch) {
  Scenario scenario = small_network(2);
  EXPECT_FALSE(of(scenario).samples_per_s);
  scenario.job.batch = 32;
  EXPECT_DOUBLE_EQ(*of(scenario).samples_per_s, 64 / (0.12 + 0.352));
}

// Another worker is slow; the single worker of the comparison is not.
TEST(Speedup, ComparesWithAWorkerThatHasNoFactor) {
  Scenario scenario = small_network(2);
  scenario.compute.factors = {3, 1};
  scenario.compute.starts = {kSecond};
  EXPECT_DOUBLE_EQ(*of(scenario).one_worker_s, 2.4);
}

}  // namespace
}  // namespace trireme::sim
