#include "sim/planner/forecast.h"
#include "plan/strategies/strategies.h"
#include "sim/model/cluster_test_util.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/events/sync_run.h"
#include "sim/model/job_plan.h"
#include "sim/planner/facts_test_util.h"

namespace trireme::sim {
namespace {

TEST(Forecast, OfAMasterAndItsWorkersIsThatOfTheFacts) {
  const Forecast forecast = sim::forecast(master_and_workers());
  EXPECT_EQ(forecast.rounds.full, 83);
  EXPECT_EQ(forecast.rounds.partial, 1);
  EXPECT_EQ(forecast.rounds.workers_in_last, 2);
  EXPECT_EQ(forecast.round.all(), 7090 * kMillisecond);
  EXPECT_EQ(forecast.last_round->all(), 7030 * kMillisecond);
  EXPECT_EQ(forecast.total_s, 595.5);
  EXPECT_EQ(forecast.communication_exceeds_at, 67);
  EXPECT_EQ(forecast.messages, std::nullopt);
}

// Case 4.
TEST(Forecast, OfFederatedDevicesIsThatOfTheFacts) {
  EXPECT_EQ(sim::forecast(federated_devices()).total_s, 32'014);
}

// The synchronous half of case 5.
TEST(Forecast, OfASynchronousStepIsThatOfTheFacts) {
  const Forecast forecast = sim::forecast(synchronous_step());
  EXPECT_EQ(forecast.total_s, 1.05);
  EXPECT_EQ(forecast.round.aggregate, 300 * kMillisecond);
  EXPECT_EQ(forecast.round.update, 250 * kMillisecond);
}

// 10 Gbit/s and 30 µs; a node adds 10 GB/s, as in the research notes.
Scenario ten_gigabit(std::int32_t workers) {
  return behind_a_switch(
      {.workers = workers, .parameters = 25'000'000, .latency = 30 * kMicrosecond, .reduce = 10e9});
}

TEST(Forecast, AgreesWithTheKnownTimesOf100Megabytes) {
  const auto seconds = [](std::int32_t workers, plan::Strategy strategy) {
    return in_seconds(round_time(ten_gigabit(workers), strategy).all());
  };
  EXPECT_NEAR(seconds(4, plan::Strategy::kAllToAll), 0.27, 0.005);
  EXPECT_NEAR(seconds(4, plan::Strategy::kParameterServer), 0.68, 0.005);
  EXPECT_NEAR(seconds(4, plan::Strategy::kRing), 0.13, 0.005);
  EXPECT_NEAR(seconds(64, plan::Strategy::kAllToAll), 5.7, 0.05);
  EXPECT_NEAR(seconds(64, plan::Strategy::kParameterServer), 10.9, 0.05);
  EXPECT_NEAR(seconds(64, plan::Strategy::kRing), 0.17, 0.005);
}

TEST(Forecast, IsWhatTheEventsTakeWhereItIsExact) {
  for (const plan::Strategy strategy : plan::all_strategies()) {
    for (const bool overlap : {false, true}) {
      Scenario scenario = ten_gigabit(8);
      scenario.job.strategy = strategy;
      scenario.job.rounds = 3;
      scenario.job.buckets = 5;
      scenario.job.overlap = overlap;
      scenario.compute.per_batch = 50 * kMillisecond + 1;
      scenario.server.update = kMillisecond;
      const Forecast forecast = sim::forecast(scenario);
      const SyncResult result = simulate_sync_of_all(scenario, plan_of(scenario), 3);
      EXPECT_TRUE(forecast.exact) << plan::name(strategy);
      EXPECT_EQ(3 * forecast.round.all() + forecast.round.first_more, result.total())
          << plan::name(strategy) << overlap;
      EXPECT_EQ(forecast.messages, result.messages);
      EXPECT_EQ(forecast.bytes, result.bytes);
    }
  }
}

TEST(Forecast, RanksAllStrategies) {
  const Forecast forecast = sim::forecast(ten_gigabit(64));
  ASSERT_EQ(forecast.ranking.size(), 8U);
  EXPECT_EQ(forecast.ranking.front().strategy, plan::Strategy::kDirect);
  EXPECT_EQ(forecast.ranking.back().strategy, plan::Strategy::kParameterServer);
}

TEST(Forecast, SaysOfEachStrategyWhetherItIsExact) {
  Scenario scenario = ten_gigabit(12);
  scenario.job.rounds = 10;
  for (const Ranked& one : sim::forecast(scenario).ranking) {
    const bool is_doubling = one.strategy == plan::Strategy::kRecursiveDoubling ||
                             one.strategy == plan::Strategy::kHalvingDoubling;
    const bool has_equal_chunks = one.strategy == plan::Strategy::kAllToAll ||
                                  one.strategy == plan::Strategy::kTree ||
                                  one.strategy == plan::Strategy::kParameterServer;
    EXPECT_EQ(one.exact, has_equal_chunks && !is_doubling)
        << plan::name(one.strategy);  // 12 does not divide p
  }
}

TEST(Forecast, WaitsForTheSlowestWorker) {
  Scenario scenario = ten_gigabit(4);
  scenario.compute.per_batch = kSecond;
  const Picoseconds alike = round_time(scenario, plan::Strategy::kRing).all();
  scenario.compute.factors = {0.5, 2};
  EXPECT_EQ(round_time(scenario, plan::Strategy::kRing).all(), alike + kSecond);
  EXPECT_FALSE(sim::forecast(scenario).exact);
  scenario.compute.factors = {0.5, 0.5, 0.5, 0.5};
  EXPECT_EQ(round_time(scenario, plan::Strategy::kRing).all(), alike - kSecond / 2);
}

TEST(Forecast, SplitsMessagesIntoSendingAndWaiting) {
  const Forecast forecast = sim::forecast(ten_gigabit(4));
  EXPECT_EQ(forecast.sending, 120 * kMillisecond);  // 6 of 25 MB
  EXPECT_EQ(forecast.round.messages - *forecast.sending, 6 * 30 * kMicrosecond);
}

TEST(Forecast, KnowsServersOnWorkers) {
  Scenario scenario = ten_gigabit(6);
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.server = {.count = 3, .on_workers = true};
  EXPECT_EQ(sim::forecast(scenario).communication_exceeds_at, 2);
}

// Without a formula a round is simulated, for any number of workers, unless there are too many messages.
TEST(Forecast, SimulatesHosts) {
  Scenario scenario = ten_gigabit(12);
  scenario.network.topology = Topology::kHosts;
  scenario.host = {.workers = 8, .memory_bandwidth = 20e9};
  EXPECT_EQ(sim::forecast(scenario).ranking.size(), 7U);  // all but hierarchical
  scenario.job.workers = 4;
  EXPECT_EQ(sim::forecast(scenario).ranking.size(), 7U);
  scenario.job.workers = 4000;
  const Forecast many = sim::forecast([&] {
    Scenario with = scenario;
    with.job.strategy = plan::Strategy::kTree;
    return with;
  }());
  for (const Ranked& one : many.ranking) EXPECT_NE(one.strategy, plan::Strategy::kAllToAll);
  scenario.job.strategy = plan::Strategy::kAllToAll;
  EXPECT_THROW((void)sim::forecast(scenario), Error);
}

// Also for 128 workers, where a ring would have to be simulated if there were no formula.
TEST(Forecast, KnowsARingOnARingOfLinksByFormula) {
  for (const std::int32_t workers : {2, 5, 128}) {
    for (const plan::Strategy strategy : {plan::Strategy::kRing, plan::Strategy::kHierarchical}) {
      Scenario scenario = ten_gigabit(workers);
      scenario.job.strategy = strategy;
      scenario.model.parameters = 128'000 * std::int64_t{workers};
      scenario.network.topology = Topology::kRing;
      const JobTime time = known_time(scenario, strategy).value();
      EXPECT_TRUE(time.exact);
      EXPECT_EQ(time.round, simulate_sync(scenario, plan_of(scenario), 1).total())
          << plan::name(strategy) << " " << workers;
    }
  }
}

TEST(Forecast, RefusesTimesBeyondAllBounds) {
  Scenario scenario = ten_gigabit(1000);
  scenario.network.latency = 3600 * kSecond;
  EXPECT_THROW((void)sim::forecast(scenario), Error);
  scenario.job.strategy = plan::Strategy::kAllToAll;  // it waits only once
  for (const Ranked& one : sim::forecast(scenario).ranking) EXPECT_GT(one.round, 0);
  scenario.network.bandwidth = 1e-3;
  EXPECT_THROW((void)sim::forecast(scenario), Error);
}

TEST(Forecast, LeavesOtherModesToTheSimulation) {
  Scenario scenario = ten_gigabit(4);
  scenario.job.mode.kind = Mode::Kind::kAsync;
  EXPECT_THROW((void)sim::forecast(scenario), Error);
}

}  // namespace
}  // namespace trireme::sim
