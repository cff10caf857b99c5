// Signals to the launcher: those that it passes on, and the one that it never sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "launch/signals.h"

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;

// A job whose nodes say when they are ready, by a file each; then `then` happens, once.
class SignalledJob : public JobObserver {
 public:
  explicit SignalledJob(std::function<void()> then) : then_(std::move(then)) {}

  // `setup` is shell code: what a node does before it is ready. Then it waits.
  Ran run(const std::string& setup, std::chrono::nanoseconds grace) {
    return run_caught(
        {.nodes = 2, .observer = this, .grace = grace},
        shell(setup + "; : > " + scratch_.path().string() + "/$TRIREME_RANK; while :; do sleep 0.05; done"));
  }

 private:
  bool wants_end() override {
    const bool ready =
        std::filesystem::exists(scratch_.path() / "0") && std::filesystem::exists(scratch_.path() / "1");
    if (ready && !std::exchange(done_, true)) then_();
    return false;
  }

  ScratchFolder scratch_;
  std::function<void()> then_;
  bool done_ = false;
};

TEST(JobSignal, ToTheLauncherReachesEveryNode) {
  for (const auto& [signal, name] : {std::pair{SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}}) {
    SignalledJob job([signal = signal] { kill(getpid(), signal); });
    const Ran ran = job.run("trap 'echo got it; exit 0' " + std::string(name), 60s);
    EXPECT_TRUE(ran.end.ok());
    EXPECT_EQ(ran.out.size(), std::string("[0] got it\n[1] got it\n").size()) << ran.out;
  }
}

TEST(JobSignal, ThatInterruptsIsPassedOnAndEndsTheJob) {
  for (const auto& [signal, name] :
       {std::pair{SIGINT, "INT"}, {SIGTERM, "TERM"}, {SIGHUP, "HUP"}, {SIGQUIT, "QUIT"}}) {
    SignalledJob job([signal = signal] { kill(getpid(), signal); });
    const Ran ran = job.run("trap 'echo bye; exit 5' " + std::string(name), 60s);
    EXPECT_EQ(ran.end.interrupted, signal);
    EXPECT_FALSE(ran.end.ok());
    EXPECT_FALSE(ran.end.first_failure);
    EXPECT_EQ(ran.end.ranks[1].code, 5);
    EXPECT_FALSE(ran.end.ranks[1].by_itself);
    EXPECT_EQ(ran.out.size(), std::string("[0] bye\n[1] bye\n").size()) << ran.out;
  }
}

TEST(JobSignal, ThatIsNotHeededIsFollowedByOthers) {
  SignalledJob job([] { kill(getpid(), SIGINT); });
  const Ran ran = job.run("trap '' INT", 200ms);
  EXPECT_EQ(ran.end.interrupted, SIGINT);
  EXPECT_EQ(ran.end.ranks[0].how, RankEnd::How::kKilled);
}

TEST(JobSignal, OfASecondInterruptKillsAtOnce) {
  SignalledJob job([] {
    kill(getpid(), SIGINT);
    kill(getpid(), SIGINT);
  });
  const Ran ran = job.run("trap '' INT TERM", 1h);
  EXPECT_EQ(ran.end.interrupted, SIGINT);
  EXPECT_EQ(ran.end.ranks[0].code, SIGKILL);
  EXPECT_EQ(ran.end.ranks[1].code, SIGKILL);
}

TEST(JobSignal, ThatIsCaughtBeforeTheJobIsTheJobs) {
  CaughtSignals signals;
  kill(getpid(), SIGINT);
  const Ran ran = run_caught({.nodes = 2, .signals = &signals, .grace = 60s}, shell("exec sleep 1000"));
  EXPECT_EQ(ran.end.interrupted, SIGINT);
}

TEST(JobSignal, ThatComesAfterTheJobIsCaughtWhereTheCallerCatchesIt) {
  CaughtSignals signals;
  (void)run_caught({.nodes = 1, .signals = &signals}, [](Rank) { return 0; });
  kill(getpid(), SIGINT);
  EXPECT_EQ(signals.take(), std::vector{SIGINT});
}

TEST(JobSignal, HandlersAreAsBeforeWhenTheJobIsOver) {
  struct sigaction before {};
  struct sigaction after {};
  sigaction(SIGINT, nullptr, &before);
  (void)run_caught({.nodes = 1}, [](Rank) { return 0; });
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(JobSignal, OfHangingUpStaysIgnoredUnderNohup) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  WhenStarted observer([](auto) { kill(getpid(), SIGHUP); });
  const Ran ran = run_caught({.nodes = 1, .observer = &observer}, shell("sleep 0.3"));
  std::signal(SIGHUP, before);
  EXPECT_TRUE(ran.end.ok());
}

std::vector<pid_t> numbers_in(const std::filesystem::path& file) {
  std::vector<pid_t> numbers;
  std::ifstream stream(file);
  for (pid_t number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  return numbers_in("/proc/" + id + "/task/" + id + "/children");
}

// Runs a job in a process of its own, kills that by SIGKILL once `count` numbers stand in the file, together
// with all of its children that are no nodes, and expects that none of all these processes is left.
void expect_nothing_left(const JobOptions& options, const NodeBody& body, const std::filesystem::path& file,
                         std::size_t count) {
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    const Fd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    JobOptions quiet = options;
    quiet.out = quiet.err = null.get();
    (void)run_job(quiet, body);
    _exit(0);
  }
  EXPECT_TRUE(comes_true([&] { return numbers_in(file).size() == count; }));
  std::vector<pid_t> all = numbers_in(file);
  for (const pid_t child : children_of(launcher)) {
    if (std::find(all.begin(), all.end(), child) != all.end()) continue;
    kill(child, SIGKILL);
    all.push_back(child);
  }
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  for (const pid_t process : all) {
    EXPECT_TRUE(comes_true([&] { return !is_there(process); })) << process;
  }
}

TEST(JobSignal, ThatKillsTheLauncherLeavesNoProcess) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "ids";
  expect_nothing_left({.nodes = 4}, shell("echo $$ >> " + file.string() + "; exec sleep 1000"), file, 4);
}

TEST(JobSignal, ThatKillsTheLauncherLeavesNoGrandchildEither) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "ids";
  expect_nothing_left(
      {.nodes = 2},
      shell("trap '' TERM HUP INT; sleep 1000 & echo $$ $! >> " + file.string() + "; wait; sleep 1000"), file,
      4);
}

// ssh does so.
TEST(JobSignal, ThatKillsTheLauncherLeavesNoProgramThatHasClosedAllFiles) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "ids";
  const NodeBody body = [&](Rank) {
    close_all_but({});
    std::ofstream(file, std::ios::app) << std::to_string(getpid()) + "\n";
    std::this_thread::sleep_for(1000s);
    return 0;
  };
  expect_nothing_left({.nodes = 2}, body, file, 2);
}

TEST(JobSignal, ThatKillsTheLauncherLeavesNoFunctionThatRuns) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "ids";
  expect_nothing_left(
      {.nodes = 3},
      [&](Rank) {
        std::ofstream(file, std::ios::app) << std::to_string(getpid()) + "\n";
        std::this_thread::sleep_for(1000s);
        return 0;
      },
      file, 3);
}

TEST(JobSignal, ThatKillsTheLauncherLeavesNoNodeThatWasStoppedAtOnce) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "ids";
  WhenStarted observer([&](std::span<const pid_t> ids) {
    for (const pid_t id : ids) kill(id, SIGSTOP);
    std::ofstream(file) << ids[0] << " " << ids[1] << "\n";
  });
  expect_nothing_left({.nodes = 2, .observer = &observer}, shell("exec sleep 1000"), file, 2);
}

TEST(JobSignal, ThatKillsTheLauncherOfTwoJobsLeavesNeither) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "ids";
  const NodeBody body = [&](Rank) {
    std::ofstream(file, std::ios::app) << std::to_string(getpid()) + "\n";
    std::this_thread::sleep_for(1000s);
    return 0;
  };
  // The second job begins, in another thread, when the first has begun.
  std::thread other;
  WhenStarted observer([&](auto) {
    other = std::thread([&] {
      const Fd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
      (void)run_job({.nodes = 2, .out = null.get(), .err = null.get()}, body);
    });
  });
  expect_nothing_left({.nodes = 2, .observer = &observer}, body, file, 4);
}

}  // namespace
}  // namespace trireme::launch
