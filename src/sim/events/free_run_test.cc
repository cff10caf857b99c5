#include "sim/events/free_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "plan/share.h"
#include "sim/model/job_plan.h"

namespace trireme::sim {
namespace {

using testing::ElementsAre;

Scenario async_job(std::int32_t workers) {
  Scenario scenario;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.job.mode.kind = Mode::Kind::kAsync;
  scenario.job.workers = workers;
  scenario.compute.per_batch = 200 * kMillisecond;
  return scenario;
}

// Case 5 of the facts: cores that begin at 0.15, 0.20, 0.25 and 0.50 s.
Scenario cores() {
  Scenario scenario = async_job(4);
  for (const int hundredths : {15, 20, 25, 50}) {
    scenario.compute.starts.push_back(hundredths * 10 * kMillisecond);
  }
  return scenario;
}

FreeResult run(const Scenario& scenario, std::int64_t gradients) {
  return simulate_free(scenario, plan_of(scenario), gradients);
}

std::vector<std::int64_t> staleness_of(const FreeResult& result) {
  std::vector<std::int64_t> all;
  for (const SimUpdate& update : result.updates) all.push_back(update.staleness);
  return all;
}

schedule::Schedule schedule_of(const Scenario& scenario, std::int64_t gradients, FreeResult& result) {
  const plan::PlanSpec spec = plan_of(scenario);
  schedule::Schedule schedule;
  schedule.mode = to_string(scenario.job.mode);
  schedule.workers = spec.workers;
  schedule.servers = plan::share_count(spec);
  result = simulate_free(scenario, spec, gradients, {}, {},
                         [&](const schedule::Write& write) { schedule.writes.push_back(write); });
  return schedule;
}

schedule::Schedule schedule_of(const Scenario& scenario, std::int64_t gradients) {
  FreeResult result;
  return schedule_of(scenario, gradients, result);
}

TEST(AsynchronousCores, OfTheFactsDifferByFourEtaDeltaAfterThreeUpdates) {
  const FreeResult result = run(cores(), 3);
  EXPECT_THAT(staleness_of(result), ElementsAre(0, 1, 2));
  for (const SimUpdate& update : result.updates) EXPECT_EQ(update.read_version, 0);
  EXPECT_EQ(bound_eta_delta(result.updates, 3), 4);
  EXPECT_EQ(result.total, 450 * kMillisecond);
  EXPECT_EQ(result.messages, 0);
}

TEST(AsynchronousCores, OfTheFactsDifferBySixEtaDeltaAfterTheSameTime) {
  Scenario scenario = cores();
  scenario.job.until = 600 * kMillisecond;
  const FreeResult result = run(scenario, 1'000'000);
  EXPECT_THAT(staleness_of(result), ElementsAre(0, 1, 2, 2, 2));
  std::vector<Rank> workers;
  for (const SimUpdate& update : result.updates) workers.push_back(update.worker);
  EXPECT_THAT(workers, ElementsAre(0, 1, 2, 0, 1));
  EXPECT_EQ(bound_eta_delta(result.updates, 3), 6);
  EXPECT_EQ(result.total, scenario.job.until);
}

TEST(Bound, IsNothingWhereNothingDiffers) {
  EXPECT_EQ(bound_eta_delta({}, 0), 0);
  EXPECT_EQ(bound_eta_delta({SimUpdate{}, SimUpdate{}}, 2), 0);
  EXPECT_EQ(bound_eta_delta({SimUpdate{}, SimUpdate{}}, 5), 3);
}

// A scenario with any number of workers, network and speeds.
Scenario any_job(Mode mode) {
  Scenario scenario = async_job(*rc::gen::inRange(1, 9));
  scenario.job.mode = mode;
  scenario.job.seed = *rc::gen::inRange<std::int64_t>(0, 1000);
  scenario.model.parameters = *rc::gen::element<std::int64_t>(0, 7, 100'000);
  scenario.network.latency = *rc::gen::element<Picoseconds>(0, 25 * kMicrosecond, 30 * kMillisecond);
  scenario.network.bandwidth = *rc::gen::element(1e7, 1.25e9);
  scenario.server.update = *rc::gen::element<Picoseconds>(0, kMillisecond, 90 * kMillisecond);
  scenario.server.count = *rc::gen::inRange(1, 4);
  scenario.compute.spread = *rc::gen::element(Spread::kNone, Spread::kExponential, Spread::kNormal);
  scenario.compute.deviation = 0.3;
  for (std::int32_t i = 0; i < scenario.job.workers; ++i) {
    scenario.compute.factors.push_back(*rc::gen::element(1.0, 1.5, 4.0));
  }
  return scenario;
}

// Every worker reads version 0 before the first update, and reads again when its own update is applied.
RC_GTEST_PROP(Staleness, HasTheMeanOfTheLawWhateverTheSpeeds, ()) {
  Scenario scenario = any_job({Mode::Kind::kAsync});
  scenario.server.count = 1;
  const std::int64_t n = scenario.job.workers;
  const auto gradients = *rc::gen::inRange<std::int64_t>(n, 60);
  const FreeResult result = run(scenario, gradients);
  RC_ASSERT(std::ssize(result.updates) == gradients);
  // The mean is (n−1)·(1 − n/(2N)).
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < result.staleness.size(); ++k) {
    sum += static_cast<std::int64_t>(k) * result.staleness[k];
  }
  RC_ASSERT(2 * sum == (n - 1) * (2 * gradients - n));
}

// Over all shares, and after it was written to a file and read back.
RC_GTEST_PROP(Staleness, IsThatOfTheSchedule, ()) {
  const Mode mode =
      *rc::gen::element(Mode{Mode::Kind::kAsync}, Mode{Mode::Kind::kSsp, 2}, Mode{Mode::Kind::kBackup, 1});
  Scenario scenario = any_job(mode);
  if (mode.kind == Mode::Kind::kBackup) scenario.job.workers = std::max(scenario.job.workers, 2);
  for (Picoseconds start = 0; std::ssize(scenario.compute.starts) < scenario.job.workers;) {
    scenario.compute.starts.push_back(start);
    start += *rc::gen::element<Picoseconds>(0, 0, 70 * kMillisecond, 230 * kMillisecond);
  }
  FreeResult result;
  const schedule::Schedule written = schedule_of(scenario, *rc::gen::inRange<std::int64_t>(0, 60), result);
  const schedule::Schedule schedule = schedule::read_schedule(to_jsonl(written), "schedule");
  RC_ASSERT(schedule == written);
  std::vector<std::int64_t> staleness(result.staleness.size());
  std::vector<std::pair<Rank, std::int64_t>> on_first;
  for (const schedule::Write& write : schedule.writes) {
    if (write.dropped) continue;
    ++staleness.at(idx(write.version - 1 - write.read));
    if (write.server == 0) on_first.emplace_back(write.worker, write.read);
  }
  RC_ASSERT(staleness == result.staleness);
  std::vector<std::pair<Rank, std::int64_t>> updates;
  for (const SimUpdate& update : result.updates) updates.emplace_back(update.worker, update.read_version);
  RC_ASSERT(on_first == updates);
}

RC_GTEST_PROP(Staleness, StaysWithinTheBoundOfSlack, ()) {
  const auto slack = *rc::gen::inRange(1, 5);
  const Scenario scenario = any_job({Mode::Kind::kSsp, slack});
  const std::int64_t n = scenario.job.workers;
  const FreeResult result = run(scenario, n * 12);
  RC_ASSERT(!result.updates.empty());
  RC_ASSERT(std::ssize(result.staleness) - 1 <= (n - 1) * (2 * slack + 1));
}

TEST(Slack, LetsNobodyRunAway) {
  Scenario scenario = async_job(2);
  scenario.job.mode = {Mode::Kind::kSsp, 2};
  scenario.compute.factors = {1, 10};
  const FreeResult result = run(scenario, 24);
  std::int64_t ahead = 0;
  for (const SimUpdate& update : result.updates) {
    ahead += update.worker == 0 ? 1 : -1;
    EXPECT_LE(ahead, 3);
  }
}

TEST(BackupWorkers, AreNotWaitedFor) {
  Scenario scenario = async_job(4);
  scenario.job.mode = {Mode::Kind::kBackup, 1};
  scenario.compute.factors = {1, 1, 10, 1};
  scenario.server.update = 50 * kMillisecond;
  const FreeResult result = run(scenario, 9);
  EXPECT_EQ(result.rounds, 3);
  EXPECT_EQ(result.total, 3 * 250 * kMillisecond);
  for (const SimUpdate& update : result.updates) EXPECT_NE(update.worker, 2);
  EXPECT_EQ(result.dropped, 3);  // it gave up one in each round
  EXPECT_EQ(result.nodes[2].computing, result.total);
}

TEST(BackupWorkers, DoNothingBeforeTheyStartAndJoinTheRoundAtHand) {
  Scenario scenario = async_job(2);
  scenario.job.mode = {Mode::Kind::kBackup, 1};
  scenario.compute.factors = {1, 0.1};
  const Picoseconds each = scenario.compute.per_batch;
  scenario.compute.starts = {0, 10 * each + each / 2};
  const FreeResult early = run(scenario, 4);
  EXPECT_EQ(early.nodes[1].computing, 0);
  EXPECT_EQ(early.dropped, 0);
  const FreeResult late = run(scenario, 20);
  EXPECT_EQ(late.updates.back().worker, 1);  // ten times as fast as the other
}

TEST(BackupWorkers, ThatStartWhileARoundIsAppliedJoinTheNext) {
  Scenario scenario = async_job(2);
  scenario.job.mode = {Mode::Kind::kBackup, 1};
  scenario.compute.factors = {1, 0.1};
  scenario.server.update = 50 * kMillisecond;
  scenario.compute.starts = {0, 220 * kMillisecond};
  std::vector<Rank> workers;
  for (const SimUpdate& update : run(scenario, 4).updates) workers.push_back(update.worker);
  EXPECT_THAT(workers, ElementsAre(0, 1, 1, 1));
}

// It starts in the second round of the first share. The others are in their first one still, whose weights
// are not for it.
TEST(BackupWorkers, ThatStartBetweenTwoSharesGoOnWithTheWeightsOfTheirRound) {
  Scenario scenario = async_job(2);
  scenario.job.mode = {Mode::Kind::kBackup, 1};
  scenario.model.parameters = 300;
  scenario.network.bandwidth = 4000;  // 0.1 s for each share
  scenario.server.count = 3;
  scenario.compute.starts = {0, 350 * kMillisecond};
  std::vector<Picoseconds> starts;
  static_cast<void>(simulate_free(scenario, plan_of(scenario), 4, [&](const SimSpan& span) {
    if (span.kind == SimSpan::Kind::kCompute && span.node == 1) starts.push_back(span.start);
  }));
  ASSERT_GE(starts.size(), 2U);
  // Computed at 550 ms; all parts are there at 850 ms, and the last answer follows that to the other worker.
  EXPECT_EQ(starts[1], 1050 * kMillisecond);
}

TEST(Gradients, AreNumberedAsTheyAreHandedOut) {
  std::vector<std::int64_t> numbers;
  for (const schedule::Write& write : schedule_of(cores(), 6).writes) numbers.push_back(write.gradient);
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 4, 5));
  Scenario scenario = async_job(2);
  scenario.compute.factors = {1, 10};
  numbers.clear();
  for (const schedule::Write& write : schedule_of(scenario, 4).writes) numbers.push_back(write.gradient);
  EXPECT_THAT(numbers, ElementsAre(0, 2, 3, 1));
}

TEST(Gradients, OfSlackAreNumberedByWorker) {
  Scenario scenario = async_job(2);
  scenario.job.mode = {Mode::Kind::kSsp, 2};
  scenario.compute.factors = {1, 10};
  std::vector<std::int64_t> numbers;
  for (const schedule::Write& write : schedule_of(scenario, 5).writes) numbers.push_back(write.gradient);
  EXPECT_THAT(numbers, ElementsAre(0, 2, 4, 1, 6));
}

TEST(Gradients, OfBackupWorkersAreNumberedByRoundAlsoIfDropped) {
  Scenario scenario = async_job(3);
  scenario.job.mode = {Mode::Kind::kBackup, 1};
  scenario.compute.factors = {1, 1, 1.2};  // what it pushes arrives when it has the next weights already
  scenario.model.parameters = 7;
  scenario.network.latency = 30 * kMillisecond;
  using schedule::Write;
  EXPECT_THAT(schedule_of(scenario, 4).writes,
              ElementsAre(Write{0, 0, 0, 0, 1}, Write{0, 1, 1, 0, 1}, Write{0, 2, 2, 0, 1, true},
                          Write{0, 0, 3, 1, 2}, Write{0, 1, 4, 1, 2}, Write{0, 2, 5, 1, 2, true}));
}

TEST(AsynchronousCores, ComputeUntilTheJobEnds) {
  Scenario scenario = cores();
  scenario.job.until = 600 * kMillisecond;
  std::vector<Picoseconds> told(4);
  const FreeResult result = simulate_free(scenario, plan_of(scenario), 1'000'000, [&](const SimSpan& span) {
    if (span.kind == SimSpan::Kind::kCompute) told[idx(span.node)] += span.end - span.start;
  });
  for (const Rank core : {0, 1, 2, 3}) {
    const Picoseconds expected = scenario.job.until - scenario.compute.starts[idx(core)];
    EXPECT_EQ(result.nodes[idx(core)].computing, expected) << core;
    EXPECT_EQ(told[idx(core)], expected) << core;  // the last worker too, which finishes nothing
  }
}

// In a job that ends at a given time, no node has worked beyond that time.
TEST(Servers, AreNotBusyAfterTheEnd) {
  Scenario scenario = async_job(2);
  scenario.job.until = 1500 * kMillisecond;
  scenario.compute.per_batch = kSecond;
  scenario.server.update = 10 * kSecond;
  const FreeResult result = run(scenario, 100);
  EXPECT_EQ(result.nodes[2].adding, 500 * kMillisecond);
  EXPECT_EQ(result.nodes[2].end, scenario.job.until);
}

TEST(Updates, TakeMessagesToAndFromEachHolder) {
  Scenario scenario = async_job(3);
  scenario.model.parameters = 100;
  scenario.server.count = 2;
  const FreeResult result = run(scenario, 10);
  EXPECT_EQ(result.messages, 10 * 2 * 2);
  EXPECT_EQ(result.bytes, 10 * 2 * 400);
}

}  // namespace
}  // namespace trireme::sim
