#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "plan/strategies/closed_form.h"
#include "server/modes_test_util.h"
#include "server/serving_test_util.h"

namespace trireme::server {
namespace {

using exec::Fabric;
using plan::Mode;

std::int64_t sum_of(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

// What holds in every mode.
void expect_consistent(const Drill& drill, const DrillResult& result) {
  for (const std::vector<float>& weights : result.weights) EXPECT_EQ(weights, result.weights[0]);
  EXPECT_EQ(result.weights[0], replay_drill(drill, result));
  const Placement placement = drill_placement(drill);
  std::int64_t messages = 0;
  for (std::size_t node = 0; node < result.counted.size(); ++node) {
    EXPECT_EQ(result.counted[node], result.planned[node]);
    messages += result.counted[node].sent_messages;
  }
  EXPECT_EQ(messages, plan::closed_form(placement.update).messages * sum_of(result.pushed));
  for (std::size_t server = 0; server < placement.shares.size(); ++server) {
    if (placement.shares[server].empty()) continue;
    EXPECT_EQ(result.staleness[server].updates() + result.dropped[server], sum_of(result.pushed));
  }
}

class Serving : public testing::TestWithParam<Fabric> {};

TEST_P(Serving, AsynchronousWorkersKeepTheLawOfStaleness) {
  for (const Rank workers : {1, 2, 3, 5}) {
    Drill drill{.fabric = GetParam(), .workers = workers};
    drill.pause = [](Rank worker, std::int64_t gradient) {
      std::this_thread::sleep_for(std::chrono::microseconds((worker * 7 + gradient * 13) % 10 * 50));
    };
    const DrillResult result = run_drill(drill);
    expect_consistent(drill, result);
    const std::int64_t gradients = drill.steps * workers;
    EXPECT_EQ(result.staleness[0].updates(), gradients);
    EXPECT_EQ(result.staleness[0].sum(), law(workers, gradients));
  }
}

TEST_P(Serving, SeveralServersHaveAtMostTheLawsSum) {
  for (const Rank servers : {2, 3, 4}) {
    const Drill drill{.fabric = GetParam(), .workers = 3, .servers = servers};
    const DrillResult result = run_drill(drill);
    expect_consistent(drill, result);
    const std::int64_t gradients = drill.steps * drill.workers;
    for (Rank server = 0; server < servers; ++server) {
      EXPECT_LE(result.staleness[idx(server)].sum(), law(drill.workers, gradients));
      // Exactly: the places of the workers' last updates, less the number of gradients.
      std::map<Rank, std::int64_t> last;
      for (const schedule::Write& write : result.writes[idx(server)]) last[write.worker] = write.version;
      std::int64_t exact = -gradients;
      for (const auto& [worker, version] : last) exact += version;
      EXPECT_EQ(result.staleness[idx(server)].sum(), exact);
    }
  }
}

TEST_P(Serving, SharesOfWholeVariablesMayBeEmpty) {
  const Drill drill{.fabric = GetParam(), .servers = 4, .variables = {100, 3}, .whole_variables = true};
  const DrillResult result = run_drill(drill);
  expect_consistent(drill, result);
}

TEST_P(Serving, SlackLimitsHowManyUpdatesIntervene) {
  for (const std::int32_t slack : {1, 2, 4}) {
    Drill drill{.fabric = GetParam(), .mode = ssp(slack), .workers = 4, .servers = 2};
    drill.pause = [](Rank worker, std::int64_t) {
      if (worker == 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    const DrillResult result = run_drill(drill);
    expect_consistent(drill, result);
    for (const Staleness& staleness : result.staleness) {
      EXPECT_LE(staleness.most(), (drill.workers - 1) * (2 * slack + 1));
    }
    for (const std::int64_t pushed : result.pushed) EXPECT_EQ(pushed, drill.steps);
    // No worker is ever more than so many updates ahead of another that is still at work.
    for (const std::vector<schedule::Write>& writes : result.writes) {
      std::vector<std::int64_t> clocks(idx(drill.workers));
      for (const schedule::Write& write : writes) {
        ++clocks[idx(write.worker)];
        EXPECT_LE(clocks[idx(write.worker)] - 1 - *std::ranges::min_element(clocks), slack);
      }
    }
  }
}

TEST_P(Serving, BackupWorkersAreNotWaitedFor) {
  for (const Rank servers : {1, 2}) {
    Drill drill{.fabric = GetParam(), .mode = backup(1), .workers = 4, .servers = servers};
    drill.pause = [](Rank worker, std::int64_t) {
      if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
    const DrillResult result = run_drill(drill);
    expect_consistent(drill, result);
    EXPECT_EQ(result.staleness[0].most(), 0);
    EXPECT_EQ(result.writes[0].back().version, drill.steps);
    std::map<std::int64_t, std::int64_t> in_round;
    for (const schedule::Write& write : result.writes[0]) {
      if (!write.dropped) ++in_round[write.version];
    }
    for (const auto& [version, gradients] : in_round) EXPECT_EQ(gradients, drill.workers - 1) << version;
  }
}

TEST_P(Serving, AGradientThatIsSentTwiceIsAppliedOnce) {
  for (const Mode& mode : {kAsync, ssp(2), backup(1)}) {
    const Drill drill{.fabric = GetParam(), .mode = mode, .servers = 2, .pushes_again = true};
    const DrillResult result = run_drill(drill);
    expect_consistent(drill, result);
    EXPECT_GT(result.duplicates[0], 0);
    const bool drops = mode.kind == Mode::Kind::kBackup;
    EXPECT_TRUE(drops || sum_of(result.pushed) == drill.steps * drill.workers);
  }
}

TEST_P(Serving, RulesWithStateAreAppliedByTheServer) {
  Drill drill{.fabric = GetParam(), .workers = 1, .steps = 200};
  drill.rule = {.kind = RuleKind::kMomentum, .rate = 0.01, .momentum = 0.9};
  const DrillResult result = run_drill(drill);
  for (std::size_t e = 0; e < result.weights[0].size(); ++e) {
    EXPECT_NEAR(result.weights[0][e], static_cast<float>(e % 7) - 3, 0.3);
  }
}

INSTANTIATE_TEST_SUITE_P(OnEveryWire, Serving,
                         testing::Values(Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads,
                                         Fabric::kMixedThreads),
                         [](const auto& info) { return exec::name(info.param); });

}  // namespace
}  // namespace trireme::server
