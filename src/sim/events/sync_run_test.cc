#include "sim/events/sync_run.h"
#include "sim/model/cluster_test_util.h"

#include <gtest/gtest.h>

#include <bit>

#include "plan/plan_test_util.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"
#include "sim/model/costs.h"
#include "sim/planner/exchange_time.h"

namespace trireme::sim {
namespace {

// Times chosen so that no two sums are equal by chance.
Scenario cluster(std::int32_t workers, std::int64_t parameters) {
  Scenario scenario = behind_a_switch({.workers = workers,
                                       .parameters = parameters,
                                       .rounds = 0,
                                       .latency = 25 * kMicrosecond + 7,
                                       .overhead = 1 * kMicrosecond + 3,
                                       .bandwidth = 1.25e9 / 1.0001,
                                       .per_batch = 3 * kMillisecond + 11,
                                       .reduce = 9.7e9});
  scenario.server.aggregate = 2 * kMicrosecond;
  scenario.server.update = 5 * kMicrosecond;
  return scenario;
}

Picoseconds formula(const Scenario& scenario, const plan::PlanSpec& spec) {
  const Picoseconds at_holder = scenario.server.aggregate + scenario.server.update;
  return exchange_time(spec, Costs(scenario), at_holder).first();
}

std::string words(const plan::PlanSpec& spec) {
  return fmt::format("{} n={} p={} s={} on workers {} hosts {}", plan::name(spec.strategy), spec.workers,
                     spec.parameters, spec.servers, spec.shares_on_workers, spec.hosts);
}

TEST(SyncRun, TakesAsLongAsTheFormulaWhereThatIsExact) {
  int compared = 0;
  for (const std::int32_t workers : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const std::int64_t parameters : {std::int64_t{48}, std::int64_t{480'000}}) {
      const Scenario scenario = cluster(workers, parameters);
      for (const plan::PlanSpec& spec : plan::every_kind(workers, parameters)) {
        if (!is_exact(spec, Series::kOnce)) continue;
        const SyncResult result = simulate_sync_of_all(scenario, spec, 1);
        EXPECT_EQ(result.total(), scenario.compute.per_batch + formula(scenario, spec)) << words(spec);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 150);
}

// A message that arrives early keeps a card busy for the time of one message, not longer.
TEST(SyncRun, TakesAboutAsLongAsTheFormulaElsewhere) {
  for (const std::int32_t workers : {2, 3, 5, 6, 7, 11}) {
    for (const std::int64_t parameters : {3, 100, 100'003}) {
      const Scenario scenario = cluster(workers, parameters);
      const Picoseconds one_message = Costs(scenario).card(4 * parameters);
      for (const plan::PlanSpec& spec : plan::every_kind(workers, parameters)) {
        const Picoseconds simulated = simulate_sync_of_all(scenario, spec, 1).total();
        const Picoseconds expected = scenario.compute.per_batch + formula(scenario, spec);
        EXPECT_LE(simulated, expected + one_message) << words(spec);
        EXPECT_GE(in_seconds(simulated), 0.5 * in_seconds(expected)) << words(spec);
      }
    }
  }
}

TEST(SyncRun, CountsWhatThePlanCounts) {
  for (const std::int32_t workers : {1, 2, 5, 8}) {
    for (const std::int64_t parameters : {0, 3, 1000}) {
      const Scenario scenario = cluster(workers, parameters);
      for (const plan::PlanSpec& spec : plan::every_kind(workers, parameters)) {
        const plan::ClosedForm form = plan::closed_form(spec);
        for (const SyncResult& result :
             {simulate_sync(scenario, spec, 3), simulate_sync_of_all(scenario, spec, 3)}) {
          EXPECT_EQ(result.messages, 3 * form.messages) << words(spec);
          EXPECT_EQ(result.bytes, 3 * 4 * form.elements) << words(spec);
        }
      }
    }
  }
}

TEST(SyncRun, LetsOneNodeStandForAllThatAreIdentical) {
  for (const std::int32_t workers : {2, 4, 6, 8}) {
    const Scenario scenario = cluster(workers, 4800);
    for (const plan::PlanSpec& spec : plan::every_kind(workers, 4800)) {
      const SyncResult one = simulate_sync(scenario, spec, 2);
      const SyncResult all = simulate_sync_of_all(scenario, spec, 2);
      EXPECT_EQ(one.round_ends, all.round_ends) << words(spec);
    }
  }
}

TEST(SyncRun, WaitsForTheSlowest) {
  Scenario scenario = cluster(4, 4000);
  scenario.compute.factors = {1, 1, 2};
  const plan::PlanSpec spec = plan::spec_of(plan::Strategy::kRing, 4, 4000);
  const SyncResult result = simulate_sync(scenario, spec, 1);
  EXPECT_EQ(result.total(), 2 * scenario.compute.per_batch + formula(scenario, spec));
  EXPECT_EQ(result.nodes.size(), 4U);
  EXPECT_EQ(result.nodes[2].computing, 2 * result.nodes[0].computing);
  for (const NodeTimes& node : result.nodes) {
    EXPECT_EQ(node.sending, 6 * Costs(scenario).card(4000));
    EXPECT_EQ(node.receiving, node.sending);
  }
}

// Messages of a ring use the links between neighbours, which no other message needs.
TEST(SyncRun, TakesARingOfLinksForARing) {
  Scenario scenario = cluster(6, 6000);
  const plan::PlanSpec spec = plan::spec_of(plan::Strategy::kRing, 6, 6000);
  const Picoseconds behind_a_switch = simulate_sync(scenario, spec, 1).total();
  scenario.network.topology = Topology::kRing;
  EXPECT_EQ(simulate_sync(scenario, spec, 1).total(), behind_a_switch);
  const plan::PlanSpec direct = plan::spec_of(plan::Strategy::kDirect, 6, 6000);
  EXPECT_GT(simulate_sync(scenario, direct, 1).total(), formula(scenario, direct));
}

// All bytes go through one memory: only their number matters, not how they are spread.
TEST(SyncRun, SharesTheMemoryOfAHost) {
  Scenario scenario = cluster(4, 4'000'000);
  scenario.network.topology = Topology::kHosts;
  scenario.network.overhead = 0;
  scenario.host.workers = 4;
  scenario.host.memory_bandwidth = 10e9;
  scenario.compute.reduce = 0;
  const auto exchange = [&](const plan::PlanSpec& spec) {
    return in_seconds(simulate_sync(scenario, spec, 1).total() - scenario.compute.per_batch);
  };
  const double bytes = 16e6;
  EXPECT_NEAR(exchange(plan::spec_of(plan::Strategy::kAllToAll, 4, 4'000'000)), 12 * bytes / 10e9, 1e-9);
  EXPECT_NEAR(exchange(plan::spec_of(plan::Strategy::kRing, 4, 4'000'000)), 6 * bytes / 10e9, 1e-9);
  EXPECT_NEAR(exchange(plan::spec_of(plan::Strategy::kDirect, 4, 4'000'000)), 6 * bytes / 10e9, 1e-9);
}

// A message through memory is received for as long as it is sent.
TEST(SyncRun, ReceivesWhatIsSentThroughMemory) {
  Scenario scenario = cluster(4, 4'000'000);
  scenario.network.topology = Topology::kHosts;
  scenario.host.workers = 2;
  scenario.host.memory_bandwidth = 10e9;
  for (const NodeTimes& node :
       simulate_sync(scenario, plan::spec_of(plan::Strategy::kDirect, 4, 4'000'000), 1).nodes) {
    EXPECT_EQ(node.receiving, node.sending);
  }
}

TEST(SyncRun, ExchangesBucketsDuringBackward) {
  Scenario scenario = cluster(4, 4'000'000);
  scenario.job.buckets = 4;
  const plan::PlanSpec spec = plan::spec_of(plan::Strategy::kRing, 4, 1'000'000);
  const Picoseconds exchange = formula(scenario, spec);
  EXPECT_EQ(simulate_sync(scenario, spec, 1).total(), scenario.compute.per_batch + 4 * exchange);
  scenario.job.overlap = true;
  scenario.compute.per_batch = 100 * exchange;  // all but the last bucket is hidden
  scenario.compute.backward = 0.5;
  EXPECT_EQ(simulate_sync(scenario, spec, 1).total(), scenario.compute.per_batch + exchange);
}

TEST(SyncRun, IsTheSameWithTheSameSeedAlone) {
  Scenario scenario = cluster(5, 1000);
  scenario.compute.spread = Spread::kLognormal;
  scenario.compute.deviation = 0.3;
  const plan::PlanSpec spec = plan::spec_of(plan::Strategy::kRing, 5, 1000);
  const auto ends = simulate_sync(scenario, spec, 20).round_ends;
  EXPECT_EQ(simulate_sync(scenario, spec, 20).round_ends, ends);
  scenario.job.seed = 2;
  EXPECT_NE(simulate_sync(scenario, spec, 20).round_ends, ends);
}

}  // namespace
}  // namespace trireme::sim
