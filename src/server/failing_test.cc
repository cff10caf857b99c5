// When a worker or a server fails in the middle of a phase, all others say so in time, and who it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/trials_test_util.h"
#include "server/failing_test_util.h"
#include "server/modes_test_util.h"

namespace trireme::server {
namespace {

using exec::Fabric;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLong = 60s;  // for what is noticed at once
constexpr std::chrono::milliseconds kShort = 2s;  // for what is noticed at the deadline

class Failing : public testing::TestWithParam<Fabric> {
 protected:
  Drill drill(const plan::Mode& mode, std::chrono::nanoseconds timeout) const {
    return {.fabric = GetParam(),
            .mode = mode,
            .workers = 3,
            .servers = 2,
            .steps = 1'000'000,
            .timeout = timeout,
            .pause = [](Rank, std::int64_t) { std::this_thread::sleep_for(1ms); }};
  }

  // All others name the culprit, no later than a second after this limit.
  static void expect_named(FailingJob& job, Rank culprit, std::chrono::nanoseconds limit) {
    const std::vector<Reported> all = job.run();
    const double most_s = std::chrono::duration<double>(limit).count() + 1 + 20 * job.most_late_s();
    for (Rank rank = 0; rank < std::ssize(all); ++rank) {
      if (rank == culprit) continue;
      const Reported& reported = all[idx(rank)];
      EXPECT_EQ(reported.culprit, culprit) << "rank " << rank << ": " << reported.text;
      EXPECT_LT(reported.after_s, most_s) << "rank " << rank << ": " << reported.text;
      EXPECT_THAT(reported.text, HasSubstr("rank " + std::to_string(culprit)));
    }
  }
  static void in_tenth_step_of(FailingJob& job, Rank worker) {
    job.drill().pause = [&job, worker, steps = std::make_shared<int>(0)](Rank rank, std::int64_t) {
      std::this_thread::sleep_for(1ms);
      if (rank == worker && ++*steps == 10) job.fail();
    };
  }
  static void before_tenth_update_of(FailingJob& job, Rank server) {
    job.drill().before_update = [&job, server](Rank number, std::int64_t version) {
      if (number == server && version == 9) job.fail();
    };
  }
};

constexpr plan::Mode kModes[] = {kAsync, ssp(2), backup(1)};

// A stop is noticed at a deadline, which takes time: in `make test` each wire has one of the modes.
std::vector<plan::Mode> modes_with_stops(Fabric fabric) {
  if (one_trial_in(3, 3) == 1) return {std::begin(kModes), std::end(kModes)};
  return {kModes[fabric == Fabric::kThreads ? 0 : fabric == Fabric::kShmProcesses ? 1 : 2]};
}

TEST_P(Failing, AWorkerThatDiesIsNamedAtOnce) {
  for (const plan::Mode& mode : kModes) {
    for (const Rank worker : {0, 2}) {
      SCOPED_TRACE(to_string(mode) + ", worker " + std::to_string(worker));
      FailingJob job(drill(mode, kLong), worker, End::kDies);
      in_tenth_step_of(job, worker);
      expect_named(job, worker, 0s);
    }
  }
}

// Servers wait for the others as well, which compute for long and were awaited before.
TEST_P(Failing, AWorkerThatDiesIsNamedAtOnceThoughServersWaitForOthers) {
  for (const plan::Mode& mode : kModes) {
    SCOPED_TRACE(to_string(mode));
    FailingJob job(drill(mode, kLong), 2, End::kDies);
    const auto steps = std::make_shared<std::array<std::atomic<int>, 3>>();
    job.drill().pause = [&job, steps](Rank rank, std::int64_t) {
      const int step = ++(*steps)[idx(rank)];
      if (step > 1 && rank != 2) return job.wait_for_others(/*the servers*/ 2);
      if (step == 1 && rank == 2) std::this_thread::sleep_for(200ms);
      if (step == 2) job.fail();
    };
    expect_named(job, 2, 0s);
  }
}

// With so little slack, or after it has finished, worker 0 awaits an answer that depends on the others.
TEST_P(Failing, AWorkerThatDiesWhileItWaitsForOthersIsNamed) {
  if (GetParam() == Fabric::kThreads) GTEST_SKIP() << "a thread that waits cannot die";
  for (const bool has_left : {false, true}) {
    SCOPED_TRACE(has_left ? "it has left" : "it is ahead");
    Drill waiting = drill(ssp(has_left ? 1000 : 1), kShort);
    if (has_left) waiting.steps = 20;
    FailingJob job(waiting, 0, End::kDies);
    job.drill().pause = [&job](Rank rank, std::int64_t gradient) {
      if (rank == 0 && gradient == 0) job.die_after(300ms);
      if (rank != 0) std::this_thread::sleep_for(150ms);
    };
    expect_named(job, 0, kShort);
  }
}

TEST_P(Failing, AWorkerThatStopsIsNamedAtTheDeadline) {
  for (const plan::Mode& mode : modes_with_stops(GetParam())) {
    SCOPED_TRACE(to_string(mode));
    FailingJob job(drill(mode, kShort), 1, End::kStops);
    in_tenth_step_of(job, 1);
    expect_named(job, 1, kShort);
  }
}

TEST_P(Failing, AServerThatDiesIsNamedAtOnce) {
  for (const plan::Mode& mode : kModes) {
    for (const Rank server : {0, 1}) {
      SCOPED_TRACE(to_string(mode) + ", server " + std::to_string(server));
      FailingJob job(drill(mode, kLong), 3 + server, End::kDies);
      before_tenth_update_of(job, server);
      expect_named(job, 3 + server, 0s);
    }
  }
}

TEST_P(Failing, AServerThatStopsIsNamedAtTheDeadline) {
  for (const plan::Mode& mode : modes_with_stops(GetParam())) {
    SCOPED_TRACE(to_string(mode));
    FailingJob job(drill(mode, kShort), 4, End::kStops);
    before_tenth_update_of(job, 1);
    expect_named(job, 4, kShort);
  }
}

// Worker 0 has finished at once, and the others are at work for longer than a node waits for one thing.
TEST_P(Failing, AWorkerThatHasLeftWaitsForOthersAsLongAsTheyWork) {
  constexpr int kSteps = 50;
  Drill patient = drill(ssp(kSteps), kShort);
  patient.steps = kSteps;
  const std::chrono::nanoseconds pause = kShort * 3 / 2 / kSteps;
  patient.pause = [pause](Rank rank, std::int64_t) {
    if (rank != 0) std::this_thread::sleep_for(pause);
  };
  const DrillResult result = run_drill(patient);
  if (GetParam() != Fabric::kThreads) return;  // processes keep their results to themselves
  for (const std::vector<float>& weights : result.weights) EXPECT_EQ(weights, result.weights[0]);
  // It has asked each of the two servers at least twice more.
  EXPECT_GE(result.others[0].sent_messages, 2 * 3);
}

INSTANTIATE_TEST_SUITE_P(OnEveryWire, Failing,
                         testing::Values(Fabric::kThreads, Fabric::kShmProcesses, Fabric::kTcpProcesses),
                         [](const auto& info) { return exec::name(info.param); });

}  // namespace
}  // namespace trireme::server
