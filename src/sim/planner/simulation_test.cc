#include "sim/planner/simulation.h"
#include "sim/model/cluster_test_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"
#include "sim/model/job_plan.h"
#include "sim/model/limits.h"
#include "sim/planner/facts_test_util.h"
#include "sim/planner/forecast.h"

namespace trireme::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

Scenario cluster(std::int32_t workers) {
  return behind_a_switch({.workers = workers,
                          .parameters = std::int64_t{workers} * 1000,
                          .rounds = 5,
                          .latency = 25 * kMicrosecond,
                          .per_batch = 3 * kMillisecond,
                          .reduce = 1e9});
}

// Case 3 of the facts.
TEST(Simulation, OfMeasuredPhasesIsTheForecast) {
  const Simulation simulation = simulate(master_and_workers());
  EXPECT_EQ(simulation.total_s, 595.5);
  EXPECT_EQ(simulation.rounds, 84);
  EXPECT_EQ(simulation.messages, std::nullopt);
}

// The synchronous half of case 5.
TEST(Simulation, OfAStepWithoutMessagesIsThatOfTheFacts) {
  Scenario scenario = synchronous_step();
  EXPECT_EQ(simulate(scenario).total_s, 1.05);
  scenario.compute.starts = {0, 100 * kSecond};
  EXPECT_EQ(simulate(scenario).total_s, 101.05);
  EXPECT_EQ(forecast(scenario).total_s, 101.05);
}

TEST(Simulation, OfIdenticalRoundsLooksAtOne) {
  Scenario scenario = cluster(4);
  scenario.job.rounds = 1'000'000;
  const Simulation simulation = simulate(scenario);
  EXPECT_EQ(simulation.simulated_rounds, 1);
  EXPECT_EQ(simulation.nodes.size(), 1U);
  EXPECT_NEAR(simulation.total_s, forecast(scenario).total_s, 1e-9 * simulation.total_s);
  EXPECT_EQ(simulation.messages, forecast(scenario).messages);
}

// The ops of a trace are those of the plan, each once per exchange at each of its ends.
TEST(Simulation, TellsEveryOpOfThePlan) {
  for (const plan::Strategy strategy : plan::all_strategies()) {
    Scenario scenario = cluster(4);
    scenario.job.rounds = 2;
    scenario.job.strategy = strategy;
    std::map<std::pair<OpId, std::int64_t>, int> sent;
    std::map<std::pair<OpId, std::int64_t>, int> received;
    static_cast<void>(simulate(scenario, [&](const SimSpan& span) {
      EXPECT_LE(span.start, span.end);
      if (span.kind == SimSpan::Kind::kSend) ++sent[{span.op, span.exchange}];
      if (span.kind == SimSpan::Kind::kReceive) ++received[{span.op, span.exchange}];
    }));
    std::map<std::pair<OpId, std::int64_t>, int> planned;
    for (const plan::Program& program : plan::make_plan(plan_of(scenario)).programs) {
      for (const plan::Op& op : program.ops) {
        if (op.kind != plan::OpKind::kSend) continue;
        for (const std::int64_t exchange : {0, 1}) ++planned[{op.id, exchange}];
      }
    }
    EXPECT_EQ(sent, planned) << plan::name(strategy);
    EXPECT_EQ(received, planned) << plan::name(strategy);
  }
}

// One card handles one message at a time.
TEST(Simulation, NeverSendsTwoMessagesThroughOneCardAtOnce) {
  Scenario scenario = cluster(6);
  scenario.job.strategy = plan::Strategy::kAllToAll;
  scenario.compute.spread = Spread::kExponential;
  std::map<std::pair<Rank, SimSpan::Kind>, Picoseconds> busy_until;
  static_cast<void>(simulate(scenario, [&](const SimSpan& span) {
    if (span.kind == SimSpan::Kind::kCompute) return;
    Picoseconds& until = busy_until[{span.node, span.kind}];
    EXPECT_GE(span.start, until);
    until = span.end;
  }));
}

TEST(Simulation, OfAsyncWorkersHasTheBoundOfTheFacts) {
  Scenario scenario;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.job.mode.kind = Mode::Kind::kAsync;
  scenario.job.workers = 4;
  scenario.compute.per_batch = 200 * kMillisecond;
  for (const int hundredths : {15, 20, 25, 50}) {
    scenario.compute.starts.push_back(hundredths * 10 * kMillisecond);
  }
  scenario.job.until_updates = 3;
  EXPECT_EQ(simulate(scenario).bound_eta_delta, 4);
  scenario.job.until_updates = 0;
  scenario.job.until = 600 * kMillisecond;
  EXPECT_EQ(simulate(scenario).bound_eta_delta, 6);
  scenario.job.local_steps = 2;  // then one core makes one update, and two of these make one each
  EXPECT_EQ(simulate(scenario).bound_eta_delta, 1);
}

TEST(Simulation, ThatWouldTakeForEverIsRefused) {
  Scenario scenario = cluster(1000);
  scenario.job.rounds = 1'000'000;
  scenario.compute.spread = Spread::kNormal;
  scenario.compute.deviation = 0.1;
  try {
    static_cast<void>(simulate(scenario));
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the simulation would have 2e+12 messages"));
  }
}

// trireme predict has no formula for it and tells the user to simulate.
TEST(Simulation, OfAsyncWorkersIsNotRefusedInFavourOfAForecast) {
  const auto hint_of = [](Mode mode) -> std::string {
    Scenario scenario = cluster(1000);
    scenario.job.strategy = plan::Strategy::kParameterServer;
    scenario.job.mode = mode;
    scenario.job.rounds = 1'000'000'000;
    try {
      static_cast<void>(simulate(scenario));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(hint_of({Mode::Kind::kSync}), HasSubstr("trireme predict takes any number of rounds"));
  EXPECT_THAT(hint_of({Mode::Kind::kAsync}), HasSubstr("take fewer rounds, updates or workers"));
  EXPECT_THAT(hint_of({Mode::Kind::kAsync}), Not(HasSubstr("predict")));
}

TEST(Simulation, ThatDoesNotFitIntoMemoryIsRefused) {
  const double bytes = working_bytes(plan::spec_of(plan::Strategy::kRing, 1'000'000, 1'000'000));
  EXPECT_GT(bytes, 1e9);
  EXPECT_NO_THROW(require_memory(bytes, 1'000'000'000'000));
  try {
    require_memory(bytes, 1'000'000'000);
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the simulation would need 6.13 GB, and there are 1 GB"));
  }
  EXPECT_GT(available_memory(), 0);
}

std::string refusal_of_async(Picoseconds until, Picoseconds each) {
  Scenario scenario = cluster(4);
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.job.mode.kind = Mode::Kind::kAsync;
  scenario.job.rounds = 0;
  scenario.job.until = until;
  scenario.network.latency = 0;
  scenario.compute.per_batch = each;
  try {
    static_cast<void>(simulate(scenario));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Simulation, OfUpdatesWithoutAnEndIsRefused) {
  EXPECT_THAT(refusal_of_async(3600 * kSecond, kMicrosecond),
              HasSubstr("messages, and 2,000,000,000 are the most"));
  EXPECT_THAT(refusal_of_async(kSecond, 0), HasSubstr("an update takes no time"));
  EXPECT_EQ(refusal_of_async(kSecond, kMillisecond), "");
}

// A ring of 512 has more than half a million events in a round.
TEST(Simulation, TellsHowFarItIs) {
  Scenario scenario = cluster(512);
  scenario.job.rounds = 5;
  scenario.compute.factors = {1.5};
  std::vector<double> parts;
  static_cast<void>(simulate(scenario, {}, [&](double part) { parts.push_back(part); }));
  ASSERT_GE(parts.size(), 2U);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_GT(parts.front(), 0.2);
  EXPECT_LE(parts.back(), 1);
}

}  // namespace
}  // namespace trireme::sim
