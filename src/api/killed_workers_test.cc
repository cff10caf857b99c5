// Real processes that are killed, stopped or gone in the middle of exchanges, at random instants: every
// survivor names the culprit and the op, in time, and nothing is left over.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/trials_test_util.h"
#include "exec/runner.h"
#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "plan/strategies/strategies.h"
#include "wire/shm/shm.h"
#include "wire/tcp/links_test_util.h"
#include "wire/tcp/tcp.h"

namespace trireme {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr Rank kNodes = 4;

enum class Fate { kKilled, kStopped, kExits, kLeaves };
enum class Over { kSharedMemory, kTcp };

// The words of a survivor, in memory that it shares with the test.
struct Report {
  std::atomic<bool> exchanges{false};  // it has come so far
  std::atomic<bool> told{false};       // all below is there
  Clock::time_point at;
  Rank culprit = -1;
  std::array<char, 1000> text{};
};

class Reports {
 public:
  Reports() {
    void* memory =
        ::mmap(nullptr, kNodes * sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    reports_ = new (memory) Report[kNodes];
  }
  ~Reports() { ::munmap(reports_, kNodes * sizeof(Report)); }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  Report& of(Rank rank) const { return reports_[rank]; }

 private:
  Report* reports_;
};

struct Trial {
  Fate fate = Fate::kKilled;
  Over over = Over::kSharedMemory;
  Rank victim = 0;
  std::chrono::microseconds after{};  // the first exchanges
  int exchanges = 0;                  // that a victim takes part in before it goes by itself
  plan::PlanSpec spec;
  bool in_window = false;
  std::chrono::milliseconds timeout = 60s;
};

Trial random_trial(Fate fate, Over over, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) { return static_cast<std::int32_t>(random() % limit); };
  Trial trial;
  trial.fate = fate;
  trial.over = over;
  trial.victim = below(kNodes);
  trial.after = std::chrono::microseconds(below(20'000));
  trial.exchanges = below(200);
  trial.spec.strategy =
      plan::all_strategies()[static_cast<std::size_t>(below(plan::all_strategies().size()))];
  trial.spec.workers = kNodes;
  if (trial.spec.strategy == plan::Strategy::kParameterServer)
    trial.spec.shares_on_workers = 1 + below(kNodes);
  if (trial.spec.strategy == plan::Strategy::kHierarchical) trial.spec.hosts = 1 << below(3);
  if (below(4) == 0) {  // its root goes on before the others have come
    trial.spec = {};
    trial.spec.operation = plan::Operation::kBroadcast;
    trial.spec.strategy = plan::Strategy::kStar;
    trial.spec.workers = kNodes;
    trial.spec.root = below(kNodes);
  }
  trial.spec.parameters = below(2) == 0 ? 1 + below(100) : 1 + below(200'000);
  trial.in_window = below(2) == 0 && over == Over::kSharedMemory;
  if (fate == Fate::kStopped) trial.timeout = 800ms;
  return trial;
}

template <typename Condition>
void wait_until(Condition condition) {
  const auto end = Clock::now() + 60s;
  while (!condition() && Clock::now() < end) std::this_thread::sleep_for(1ms);
}

// Does to the victim what is its fate. One is stopped when all exchange: before, their deadlines are longer.
// When all others have told what they know it is killed, so that nobody need wait for it.
void strike(const Trial& trial, pid_t process, const Reports& reports, Clock::time_point& happened) {
  const auto all_others = [&](auto has) {
    for (Rank rank = 0; rank < kNodes; ++rank) {
      if (rank != trial.victim && !has(reports.of(rank))) return false;
    }
    return true;
  };
  const bool stops = trial.fate == Fate::kStopped;
  if (stops) {
    wait_until([&] { return all_others([](const Report& r) { return r.exchanges.load(); }); });
    wait_until([&] { return reports.of(trial.victim).exchanges.load(); });
  }
  std::this_thread::sleep_for(trial.after);
  happened = Clock::now();
  ::kill(process, stops ? SIGSTOP : SIGKILL);
  if (!stops) return;
  wait_until([&] { return all_others([](const Report& r) { return r.told.load(); }); });
  ::kill(process, SIGKILL);
}

// Exchanges until something happens.
void exchange_on(wire::Wire& wire, const Trial& trial, const Reports& reports) {
  exec::Runner runner(trial.spec, exec::ElementType::kFloat32, wire);
  const std::size_t bytes = 4 * static_cast<std::size_t>(trial.spec.parameters);
  std::vector<std::byte> own(bytes);
  wire::shm::Window window;
  if (trial.in_window) window = wire.windows()->make(wire, bytes, Deadline::after(60s));
  runner.prepare(Deadline::after(60s));
  reports.of(wire.rank()).exchanges = true;
  const bool goes = wire.rank() == trial.victim;
  for (int i = 0; i < 10'000'000; ++i) {
    if (goes && i == trial.exchanges && trial.fate == Fate::kExits) ::_exit(0);
    if (goes && i == trial.exchanges && trial.fate == Fate::kLeaves) return;
    runner.run(trial.in_window ? window.bytes() : std::span(own), Deadline::after(trial.timeout));
  }
}

// The connection of the nodes, made before they start.
class Ground {
 public:
  explicit Ground(Over over) {
    if (over == Over::kSharedMemory) {
      segment_ = wire::shm::Segment::create(kNodes);
    } else {
      links_ = wire::tcp::connected_nodes(kNodes);
    }
  }

  [[nodiscard]] std::vector<int> files() const {
    std::vector<int> files;
    for (const std::vector<wire::rendezvous::Link>& row : links_) {
      for (const wire::rendezvous::Link& link : row) {
        if (link.data) files.insert(files.end(), {link.data.get(), link.control.get()});
      }
    }
    return files;
  }
  [[nodiscard]] std::shared_ptr<wire::shm::Segment> memory() const { return segment_; }
  // In the node's process: the others' ends are theirs alone.
  [[nodiscard]] std::unique_ptr<wire::Wire> stand_on(Rank rank) {
    if (segment_) return std::make_unique<wire::shm::ShmWire>(segment_, rank);
    auto wire = std::make_unique<wire::tcp::TcpWire>(rank, std::move(links_[static_cast<std::size_t>(rank)]));
    links_.clear();
    return wire;
  }
  // In the process that has started the nodes.
  void let_go() { links_.clear(); }

 private:
  std::shared_ptr<wire::shm::Segment> segment_;
  std::vector<std::vector<wire::rendezvous::Link>> links_;
};

int run_node(Ground& ground, Rank rank, const Trial& trial, const Reports& reports) {
  try {
    const std::unique_ptr<wire::Wire> wire = ground.stand_on(rank);
    exchange_on(*wire, trial, reports);
    return 0;
  } catch (const Error& error) {
    Report& report = reports.of(rank);
    report.at = Clock::now();
    report.culprit = error.failure().culprit.value_or(-1);
    std::strncpy(report.text.data(), error.what(), report.text.size() - 1);
    report.told = true;
    return 1;
  }
}

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// Others may have memory there, too, which comes and goes: Open MPI in a test beside this one.
std::size_t named_memory() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().find("trireme") != std::string::npos) ++count;
  }
  return count;
}

void run_trial(const Trial& trial) {
  const std::size_t files = open_files();
  const Reports reports;
  Clock::time_point happened = Clock::now();
  {
    Ground ground(trial.over);
    launch::JobOptions options;
    options.nodes = kNodes;
    options.inherited_fds = ground.files();
    options.memory = ground.memory();
    options.grace = 20s;  // for the survivors to report
    std::jthread killer;
    launch::WhenStarted observer([&](std::span<const pid_t> processes) {
      ground.let_go();
      if (trial.fate != Fate::kKilled && trial.fate != Fate::kStopped) return;
      killer = std::jthread([&, process = processes[static_cast<std::size_t>(trial.victim)]] {
        strike(trial, process, reports, happened);
      });
    });
    options.observer = &observer;
    const launch::JobEnd end =
        launch::run_job(options, [&](Rank rank) { return run_node(ground, rank, trial, reports); });
    EXPECT_TRUE(end.first_failure);
  }
  const auto limit =
      trial.fate == Fate::kStopped ? trial.timeout + 5s : 5000ms;  // generous, for slow machines
  for (Rank rank = 0; rank < kNodes; ++rank) {
    if (rank == trial.victim) continue;
    const Report& report = reports.of(rank);
    const std::string text = report.text.data();
    EXPECT_EQ(report.culprit, trial.victim) << "rank " << rank << " says: " << text;
    EXPECT_NE(text.find("rank " + std::to_string(trial.victim)), std::string::npos) << text;
    EXPECT_TRUE(text.find("step ") != std::string::npos ||
                text.find("making a window") != std::string::npos ||
                text.find("before the first exchange") != std::string::npos)
        << text;
    const bool timed = trial.fate == Fate::kKilled || trial.fate == Fate::kStopped;
    if (timed) {
      EXPECT_LT(report.at - happened, limit) << text;
    }
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left over";
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(named_memory(), 0U);
}

void run_trials(Fate fate, Over over, int count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(fate) + 1);
  for (int i = 0; i < count / one_trial_in(4, 8); ++i) {
    const Trial trial = random_trial(fate, over, random);
    SCOPED_TRACE("trial " + std::to_string(i) + ": " + std::string(plan::name(trial.spec.strategy)) + " of " +
                 std::to_string(trial.spec.parameters) + (trial.in_window ? " in a window" : "") + ", rank " +
                 std::to_string(trial.victim) + " after " + std::to_string(trial.after.count()) + " µs or " +
                 std::to_string(trial.exchanges) + " exchanges");
    run_trial(trial);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(AKilledWorker, IsNamedByAllOthers) { run_trials(Fate::kKilled, Over::kSharedMemory, 200); }
TEST(AKilledWorker, IsNamedByAllOthersOverTcp) { run_trials(Fate::kKilled, Over::kTcp, 100); }

TEST(AStoppedWorker, IsNamedByAllOthersAtTheirDeadline) {
  run_trials(Fate::kStopped, Over::kSharedMemory, 40);
}
TEST(AStoppedWorker, IsNamedByAllOthersAtTheirDeadlineOverTcp) { run_trials(Fate::kStopped, Over::kTcp, 24); }

TEST(AWorkerThatExitsWithoutAWord, IsNamedByAllOthers) { run_trials(Fate::kExits, Over::kSharedMemory, 100); }
TEST(AWorkerThatExitsWithoutAWord, IsNamedByAllOthersOverTcp) { run_trials(Fate::kExits, Over::kTcp, 50); }

TEST(AWorkerThatLeavesEarly, IsNamedByAllOthers) { run_trials(Fate::kLeaves, Over::kSharedMemory, 100); }
TEST(AWorkerThatLeavesEarly, IsNamedByAllOthersOverTcp) { run_trials(Fate::kLeaves, Over::kTcp, 50); }

}  // namespace
}  // namespace trireme
