#include "sim/planner/outlook.h"
#include "plan/strategies/strategies.h"
#include "sim/model/cluster_test_util.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/planner/facts_test_util.h"
#include "sim/planner/forecast.h"

namespace trireme::sim {
namespace {

Scenario ten_gigabit(std::int32_t workers, std::int64_t parameters) {
  return behind_a_switch({.workers = workers,
                          .parameters = parameters,
                          .latency = 30 * kMicrosecond,
                          .overhead = 1 * kMicrosecond,
                          .per_batch = 10 * kMillisecond,
                          .reduce = 10e9});
}

// The fastest strategy differs before and after a turn.
TEST(Turns, AreWhereAnotherStrategyBecomesTheFastest) {
  for (const std::int64_t parameters : {1000, 100'000, 10'000'000}) {
    const Scenario scenario = ten_gigabit(16, parameters);
    const plan::Strategy now = fastest(scenario, scenario.job.strategy);
    const std::vector<Turn> all = turns(scenario);
    EXPECT_FALSE(all.empty());
    for (const Turn& turn : all) {
      EXPECT_NE(turn.then, now);
      EXPECT_EQ(fastest(moved(turn.axis, scenario, turn.value), now), turn.then);
      const double before = turn.axis == Axis::kWorkers ? turn.value + (turn.above ? -1 : 1)
                                                        : turn.value * (turn.above ? 0.9999 : 1.0001);
      EXPECT_EQ(fastest(moved(turn.axis, scenario, before), now), now);
      EXPECT_EQ(turn.value > value_on(turn.axis, scenario), turn.above);
    }
  }
}

// Where one server and a ring take equally long, according to the known formula.
TEST(Turns, OfTwoStrategiesLieWhereTheirTimesAreEqual) {
  const std::int32_t p = 16;
  Scenario scenario = ten_gigabit(p, 1);
  scenario.network.overhead = 0;
  const double latency = 30e-6;
  const double beta = 1 / 1.25e9;
  const double gamma = 0.1e-9;
  const double bytes = (p - 2) * latency / ((p - (p - 1.0) / p) * (beta + gamma / 2));
  const auto difference = [&](double n) {
    const Scenario there = moved(Axis::kParameters, scenario, n / 4);
    return in_seconds(round_time(there, plan::Strategy::kParameterServer).all() -
                      round_time(there, plan::Strategy::kRing).all());
  };
  EXPECT_LT(difference(bytes * 0.97), 0);
  EXPECT_GT(difference(bytes * 1.03), 0);
}

// One strategy is faster on one side, the other on the other side.
TEST(Crossovers, AreWhereTwoStrategiesChangePlaces) {
  Scenario scenario = ten_gigabit(16, 100'000);
  const std::vector<Crossover> all = crossovers(scenario);
  EXPECT_GT(all.size(), 5U);
  for (const Crossover& one : all) {
    const auto lead = [&](double value) {
      const Scenario there = moved(one.axis, scenario, value);
      return round_time(there, plan::Strategy::kRing).all() - round_time(there, one.other).all();
    };
    const double before = one.axis == Axis::kWorkers ? one.value + (one.above ? -1 : 1)
                                                     : one.value * (one.above ? 0.9999 : 1.0001);
    EXPECT_EQ(lead(one.value) > 0, one.overtakes) << plan::name(one.other);
    EXPECT_NE(lead(one.value), 0) << plan::name(one.other);
    EXPECT_EQ(lead(before) <= 0, one.overtakes || lead(before) == 0) << plan::name(one.other);
  }
}

TEST(WorkerAdvice, IsWhereMoreWorkersWouldNotEndItMuchSooner) {
  Scenario scenario = ten_gigabit(4, 25'000'000);
  scenario.job.rounds = 0;
  scenario.job.samples = 1'000'000;
  scenario.job.batch = 64;
  scenario.compute.per_batch = 2 * kSecond;
  scenario.job.strategy = plan::Strategy::kAllToAll;
  const WorkerAdvice found = advise_workers(scenario).value();
  const auto total = [&](std::int32_t n) { return forecast(moved(Axis::kWorkers, scenario, n)).total_s; };
  EXPECT_NEAR(total(found.soonest), found.soonest_s, 1e-9 * found.soonest_s);
  EXPECT_LE(found.enough, found.soonest);
  EXPECT_LE(found.enough_s, 1.05 * found.soonest_s);
  EXPECT_GT(total(found.enough - 1), 1.05 * found.soonest_s);
}

// 500 workers would finish first, with one step for all ten epochs.
TEST(WorkerAdvice, GoesNoFurtherThanOneBatchEachPerEpoch) {
  Scenario scenario = master_and_workers();
  const WorkerAdvice found = advise_workers(scenario).value();
  EXPECT_EQ(found.most, 50);
  EXPECT_TRUE(found.is_one_batch_each);
  EXPECT_EQ(found.soonest, 50);
  EXPECT_EQ(found.soonest_s, 77.5);  // 10 rounds
  EXPECT_DOUBLE_EQ(found.speedup, 2000 / 77.5);
  scenario.job.local_steps = 20;
  EXPECT_EQ(advise_workers(scenario)->most, 2);
}

TEST(WorkerAdvice, GoesAsFarAsSomebodySays) {
  const Scenario scenario = master_and_workers();
  EXPECT_EQ(advise_workers(scenario, 500)->soonest, 500);
  EXPECT_FALSE(advise_workers(scenario, 500)->is_one_batch_each);
  EXPECT_EQ(advise_workers(scenario, 8)->soonest, 8);
}

// Ten rounds of 8 workers take longer than those of one worker, and do eight times the work.
TEST(WorkerAdvice, OfFixedRoundsIsByWhatIsDoneInASecond) {
  Scenario scenario = ten_gigabit(4, 25'000'000);
  scenario.compute.per_batch = 2 * kSecond;
  scenario.job.strategy = plan::Strategy::kDirect;
  EXPECT_EQ(advise_workers(scenario, 8)->soonest, 8);
  scenario.job.strategy = plan::Strategy::kAllToAll;
  const WorkerAdvice found = advise_workers(scenario, 256).value();
  EXPECT_LT(found.enough, found.soonest);
  EXPECT_GT(found.speedup, 10);
}

TEST(SlowerThanOne, AreThoseThatExchangeLongerThanTheyGain) {
  Scenario scenario =
      ten_gigabit(8, 25'000'000);  // a ring takes 0.09 s with 2, and nearly twice that with many
  scenario.compute.per_batch = 40 * kMillisecond;
  const std::vector<std::int32_t> slower = slower_than_one(scenario);
  ASSERT_FALSE(slower.empty());
  EXPECT_EQ(slower.front(), 2);
  EXPECT_LT(slower.back(), 8);
  for (const std::int32_t n : {slower.back(), slower.back() + 1}) {
    const double speedup = *forecast(with_workers(scenario, n)).speedup.factor;
    EXPECT_EQ(speedup < 1, n == slower.back()) << n;
  }
  scenario.compute.per_batch = 2 * kSecond;
  EXPECT_TRUE(slower_than_one(scenario).empty());
  scenario.compute.factors = {1, 1, 1, 50};  // the fourth worker, so it slows jobs of four and more
  EXPECT_EQ(slower_than_one(scenario), (std::vector<std::int32_t>{4, 5, 6, 7, 8}));
}

// A latency of days: no strategy is the fastest if no time can be computed.
TEST(Turns, AreNotLookedForBeyondAllBounds) {
  Scenario scenario = ten_gigabit(16, 1000);
  scenario.network.latency = 3600 * kSecond;
  for (const Turn& turn : turns(scenario)) {
    EXPECT_NE(turn.then, plan::Strategy::kRing) << turn.value;  // it waits most often
  }
}

// Every value would have to be simulated, for every strategy.
TEST(Turns, OfManyWorkersAreNotLookedForWhereThereIsNoFormula) {
  Scenario scenario = ten_gigabit(128, 128'000);
  EXPECT_TRUE(is_searchable(scenario));
  scenario.network.topology = Topology::kRing;
  EXPECT_FALSE(is_searchable(scenario));
  EXPECT_TRUE(turns(scenario).empty());
  scenario.job.workers = 6;
  std::vector<double> parts;
  EXPECT_FALSE(turns(scenario, [&](double part) { parts.push_back(part); }).empty());
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_GT(parts.size(), 10U);
  EXPECT_LE(parts.size(), 200U);
}

TEST(WorkerAdvice, IsUnknownWithoutSamples) { EXPECT_FALSE(advise_workers(ten_gigabit(4, 1000))); }

}  // namespace
}  // namespace trireme::sim
