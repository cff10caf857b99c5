// The same workers simulated and run, with timed waits instead of computation.
//
// All times are multiples of a slot, and no two updates are due in the same one. If everything in a run is
// done within the slot in which it is due, which is measured, its order is the simulated one, whatever the
// machine; else the machine was too busy, and it is run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "server/modes_test_util.h"
#include "server/serving_test_util.h"
#include "sim/events/free_run.h"
#include "sim/model/job_plan.h"

namespace trireme::server {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kSlot = 30ms;
constexpr Rank kWorkers = 3;
constexpr int kTries = 5;

// Worker w takes 3·(w + 1) slots for a gradient and begins in slot w: so its number modulo 3 is that of the
// slots in which its updates are due.
std::int64_t slots_of(Rank worker) { return 3 * (worker + 1); }

sim::Scenario scenario_of(const plan::Mode& mode) {
  const sim::Picoseconds slot = kSlot.count() * sim::kNanosecond;
  sim::Scenario scenario;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.job.mode = mode;
  scenario.job.workers = kWorkers;
  scenario.compute.per_batch = 3 * slot;
  for (Rank worker = 0; worker < kWorkers; ++worker) {
    scenario.compute.factors.push_back(worker + 1);
    scenario.compute.starts.push_back(worker * slot);
  }
  return scenario;
}

// What workers and server do when, in real time.
class Times {
 public:
  /// A worker has an answer and computes. Returns when that is done.
  [[nodiscard]] Clock::time_point compute(Rank worker, std::int64_t gradient) {
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex_);
    const bool is_first = gradient == worker;
    const std::int64_t slot = is_first ? worker : (now - start_) / kSlot;
    answered_[gradient] = is_first ? start_ : now;
    return due_[gradient] = start_ + kSlot * (slot + slots_of(worker));
  }
  void update(std::int64_t version) {
    const std::lock_guard lock(mutex_);
    updated_[version] = Clock::now();
  }

  /// Nothing was later than half a slot: no update after its gradient was due, and no answer after the update
  /// that it is of.
  [[nodiscard]] bool is_in_time(const std::vector<schedule::Write>& writes) const {
    return std::ranges::all_of(writes, [&](const schedule::Write& write) {
      const Clock::time_point read = write.read == 0 ? start_ : updated_.at(write.read);
      return updated_.at(write.version) - due_.at(write.gradient) < kSlot / 2 &&
             answered_.at(write.gradient) - read < kSlot / 2;
    });
  }

 private:
  const Clock::time_point start_ = Clock::now() + 50ms;  // until then all have met
  std::mutex mutex_;
  std::map<std::int64_t, Clock::time_point> answered_;  // by gradient: when its worker began with it
  std::map<std::int64_t, Clock::time_point> due_;       // likewise
  std::map<std::int64_t, Clock::time_point> updated_;   // by version
};

// The writes of a run that was in time; none: there was no such run.
std::vector<schedule::Write> run_in_time(const plan::Mode& mode, std::int64_t steps) {
  for (int time = 0; time < kTries; ++time) {
    Times times;
    Drill drill{.mode = mode, .workers = kWorkers, .steps = steps, .variables = {8}};
    drill.pause = [&](Rank worker, std::int64_t gradient) {
      std::this_thread::sleep_until(times.compute(worker, gradient));
    };
    drill.before_update = [&](Rank /*server*/, std::int64_t version) { times.update(version + 1); };
    const DrillResult result = run_drill(drill);
    if (times.is_in_time(result.writes[0])) return result.writes[0];
  }
  return {};
}

std::vector<sim::SimUpdate> simulate(const plan::Mode& mode, std::int64_t gradients) {
  const sim::Scenario scenario = scenario_of(mode);
  std::vector<sim::SimUpdate> updates = simulate_free(scenario, sim::plan_of(scenario), gradients).updates;
  for (std::size_t i = 1; i < updates.size(); ++i) {
    EXPECT_GE(updates[i].end - updates[i - 1].end, kSlot.count() * sim::kNanosecond) << "a tie";
  }
  return updates;
}

// Compares as many as were simulated.
void expect_same(const std::vector<sim::SimUpdate>& simulated, const std::vector<schedule::Write>& run) {
  ASSERT_GE(run.size(), simulated.size());
  std::map<std::int64_t, int> simulated_bars;
  std::map<std::int64_t, int> bars;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    EXPECT_EQ(run[i].worker, simulated[i].worker) << i;
    EXPECT_EQ(run[i].read, simulated[i].read_version) << i;
    ++simulated_bars[simulated[i].staleness];
    ++bars[run[i].version - 1 - run[i].read];
  }
  EXPECT_EQ(bars, simulated_bars);
}

TEST(AsynchronousWorkers, ApplyTheirUpdatesInTheOrderThatIsSimulated) {
  constexpr std::int64_t kSteps = 6;
  const std::vector<sim::SimUpdate> simulated = simulate(kAsync, kSteps * kWorkers);
  ASSERT_EQ(simulated.size(), kSteps * kWorkers);
  const std::vector<schedule::Write> run = run_in_time(kAsync, kSteps);
  if (run.empty()) GTEST_SKIP() << "this machine is too busy for waits of " << kSlot / 1ms << " ms";
  EXPECT_EQ(run.size(), simulated.size());
  expect_same(simulated, run);
}

// Compared as long as all are at work: the simulation hands out gradients to whoever asks to the end.
TEST(StaleSynchronousWorkers, ApplyTheirUpdatesInTheOrderThatIsSimulated) {
  constexpr std::int64_t kSteps = 5;
  std::vector<sim::SimUpdate> simulated = simulate(ssp(1), 4 * kSteps * kWorkers);
  std::int64_t steps_of_fastest = 0;
  const auto end = std::ranges::find_if(simulated, [&](const sim::SimUpdate& update) {
    steps_of_fastest += update.worker == 0 ? 1 : 0;
    return steps_of_fastest == kSteps;
  });
  ASSERT_NE(end, simulated.end());
  simulated.erase(end + 1, simulated.end());
  const std::vector<schedule::Write> run = run_in_time(ssp(1), kSteps);
  if (run.empty()) GTEST_SKIP() << "this machine is too busy for waits of " << kSlot / 1ms << " ms";
  expect_same(simulated, run);
}

}  // namespace
}  // namespace trireme::server
