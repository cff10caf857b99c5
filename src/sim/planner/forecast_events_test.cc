// Compares formulas and events over many random jobs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/trials_test_util.h"
#include "plan/strategies/strategies.h"
#include "sim/events/sync_run.h"
#include "sim/model/cluster_test_util.h"
#include "sim/model/job_plan.h"
#include "sim/planner/forecast.h"

namespace trireme::sim {
namespace {

// Jobs with small and large messages, long and short latencies, much and little computation and addition; the
// same jobs in every run.
class Jobs {
 public:
  [[nodiscard]] Scenario next(plan::Strategy strategy) {
    Scenario scenario;
    Scenario::Job& job = scenario.job;
    job.strategy = strategy;
    job.workers = between(2, 24);
    job.rounds = between(0, 3) == 0 ? 1 : between(2, 8);
    job.buckets = between(0, 2) == 0 ? between(2, 5) : 1;
    job.overlap = between(0, 1) == 0;
    const std::int64_t whole = std::int64_t{840} * job.workers * job.buckets;
    scenario.model.parameters = whole * between(1, 5000) + (between(0, 2) == 0 ? between(1, 100) : 0);
    scenario.network.bandwidth = about(1e8, 1e11);
    scenario.network.latency = picoseconds(about(1e5, 1e9));
    const double latency = static_cast<double>(scenario.network.latency);
    scenario.network.overhead = between(0, 1) == 0 ? 0 : picoseconds(latency * about(0.01, 1));
    const double message = static_cast<double>(scenario.model.parameters) * 4e12 / scenario.network.bandwidth;
    scenario.compute.per_batch = picoseconds(message * about(0.01, 30));
    scenario.compute.reduce = between(0, 1) == 0 ? 0 : scenario.network.bandwidth * about(1, 20);
    scenario.server.on_workers = between(0, 1) == 0;
    scenario.server.count = between(1, scenario.server.on_workers ? std::min(job.workers, 6) : 6);
    scenario.server.update = between(0, 1) == 0 ? 0 : picoseconds(message * about(0.01, 1));
    return scenario;
  }

  // A bucket has fewer parameters than there are shares, chunks or blocks, or as many.
  [[nodiscard]] Scenario next_of_few_parameters(plan::Strategy strategy) {
    Scenario scenario = next(strategy);
    Scenario::Job& job = scenario.job;
    const bool has_servers = strategy == plan::Strategy::kParameterServer;
    scenario.server.count = between(1, scenario.server.on_workers ? job.workers : 24);
    if (strategy == plan::Strategy::kHierarchical) scenario.host.workers = divisor_of(job.workers);
    const std::int32_t shares = has_servers ? scenario.server.count : job.workers;
    scenario.model.parameters = between(1, shares * job.buckets);
    const double latency = static_cast<double>(scenario.network.latency);
    const double message = latency * about(0.01, 100);
    scenario.network.bandwidth = 4e12 / message;
    scenario.compute.per_batch = picoseconds(message * job.workers * about(0.01, 1));
    scenario.compute.reduce = between(0, 1) == 0 ? 0 : scenario.network.bandwidth * about(1, 20);
    scenario.server.update = 0;
    return scenario;
  }

 private:
  std::int32_t divisor_of(std::int32_t number) {
    std::int32_t divisor = between(1, number);
    while (number % divisor != 0) --divisor;
    return divisor;
  }
  std::int32_t between(std::int32_t least, std::int32_t most) {
    return least + static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  // Every power of ten is equally likely.
  double about(double least, double most) {
    return least * std::pow(most / least, static_cast<double>(random_()) * 0x1p-64);
  }
  static Picoseconds picoseconds(double time) { return static_cast<Picoseconds>(time); }

  std::mt19937_64 random_{1};
};

std::string words(const Scenario& scenario) {
  const Scenario::Job& job = scenario.job;
  return fmt::format("{} n={} rounds={} buckets={} overlap={} p={} servers={} on_workers={} latency={}",
                     plan::name(job.strategy), job.workers, job.rounds, job.buckets, job.overlap,
                     scenario.model.parameters, scenario.server.count, scenario.server.on_workers,
                     scenario.network.latency);
}

struct Compared {
  bool exact = false;
  Picoseconds formula = 0;
  Picoseconds events = 0;
};

Compared compare(const Scenario& scenario) {
  const plan::Strategy strategy = scenario.job.strategy;
  const RoundTime round = round_time(scenario, strategy);
  return {.exact = known_time(scenario, strategy).value().exact,
          .formula = scenario.job.rounds * round.all() + round.first_more,
          .events = simulate_sync_of_all(scenario, plan_of(scenario), scenario.job.rounds).total()};
}

// Returns how many of them are exact.
int expect_events(const std::vector<Scenario>& scenarios, double tolerance) {
  int exact = 0;
  for (const Scenario& scenario : scenarios) {
    const Compared both = compare(scenario);
    exact += both.exact ? 1 : 0;
    if (both.exact) {
      EXPECT_EQ(both.formula, both.events) << words(scenario);
    } else {
      EXPECT_NEAR(in_seconds(both.formula) / in_seconds(both.events), 1, tolerance) << words(scenario);
    }
  }
  return exact;
}

template <typename Next>
std::vector<Scenario> some(const Next& next) {
  const int count = 2000 / one_trial_in(16, 16);
  std::vector<Scenario> scenarios;
  for (int i = 0; i < count; ++i) scenarios.push_back(next());
  return scenarios;
}

TEST(Forecast, IsThatOfTheEventsOrNearToIt) {
  Jobs jobs;
  for (const plan::Strategy strategy : plan::all_strategies()) {
    EXPECT_GT(expect_events(some([&] { return jobs.next(strategy); }), 0.1), 10) << plan::name(strategy);
  }
}

TEST(Forecast, OfFewerParametersThanSharesIsNearTheEvents) {
  Jobs jobs;
  for (const plan::Strategy strategy : plan::all_strategies()) {
    expect_events(some([&] { return jobs.next_of_few_parameters(strategy); }), 0.25);
  }
}

// A hundred megabytes at ten gigabits per second: the last answer of a round leaves long after the first one.
Scenario large_model(std::int32_t workers, plan::Strategy strategy) {
  Scenario scenario = behind_a_switch({.workers = workers,
                                       .parameters = 25'000'000,
                                       .rounds = 100,
                                       .latency = 25 * kMicrosecond,
                                       .per_batch = 200 * kMillisecond});
  scenario.job.strategy = strategy;
  return scenario;
}

TEST(Forecast, KnowsThatTheWorkerAnsweredFirstBeginsItsNextRoundFirst) {
  for (const auto& [workers, total_s] : {std::pair{8, 92.565}, std::pair{64, 545.045}}) {
    const Forecast forecast = sim::forecast(large_model(workers, plan::Strategy::kParameterServer));
    EXPECT_TRUE(forecast.exact);
    EXPECT_NEAR(forecast.total_s, total_s, 1e-9);
    // b/B + compute + n·b/B, plus two latencies.
    EXPECT_EQ(forecast.round.all(), (200 + 80 * (workers + 1)) * kMillisecond + 50 * kMicrosecond);
    EXPECT_EQ(forecast.round.first_more, 80 * (workers - 1) * kMillisecond);
  }
}

TEST(Forecast, OfRecursiveDoublingAmongTwelveIsNearTheEvents) {
  const Compared both = compare(large_model(12, plan::Strategy::kRecursiveDoubling));
  EXPECT_FALSE(both.exact);
  EXPECT_NEAR(in_seconds(both.formula) / in_seconds(both.events), 1, 0.01);
}

TEST(Forecast, OfHalvingDoublingKnowsWhoIsInTheWayOfAHandingOver) {
  for (const std::int32_t workers : {6, 9, 18, 100}) {
    for (const double reduce : {0.0, 2.5e9}) {
      Scenario scenario = large_model(workers, plan::Strategy::kHalvingDoubling);
      scenario.compute.reduce = reduce;
      for (const std::int64_t rounds : {1, 2, 5}) {
        scenario.job.rounds = rounds;
        const Compared both = compare(scenario);
        EXPECT_FALSE(both.exact);
        EXPECT_NEAR(in_seconds(both.formula) / in_seconds(both.events), 1, 0.02) << words(scenario);
      }
    }
  }
}

}  // namespace
}  // namespace trireme::sim
