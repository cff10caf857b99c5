#include "train/start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/output.h"
#include "launch/launch_test_util.h"

namespace trireme::train {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kWires[] = {"auto", "shm", "tcp", "threads"};

StartOptions three_on(std::string_view wire) {
  StartOptions options;
  options.nodes = 3;
  options.wire = wire::parse_wire(wire, "three_on");
  options.timeout = std::chrono::seconds(20);
  return options;
}

// Returns what is printed on standard error meanwhile.
struct Told {
  int status;
  std::string err;
};
Told run_and_listen(const StartOptions& options, const WorldBody& body) {
  testing::internal::CaptureStderr();
  const int status = run_here(options, body);
  return {status, testing::internal::GetCapturedStderr()};
}

TEST(Start, PutsEveryNodeInTheSameWorld) {
  for (const char* wire : kWires) {
    const int status = run_here(three_on(wire), [](World& world) {
      std::vector<std::int32_t> numbers = {world.rank() + 1};
      world.sum(numbers, "ring");
      if (numbers[0] != 6 || world.size() != 3) throw std::runtime_error("not the world of all");
    });
    EXPECT_EQ(status, kExitDone) << wire;
  }
}

TEST(Start, GivesNodesWhatWasLoadedBefore) {
  const std::vector<int> loaded(1000, 7);
  EXPECT_EQ(run_here(three_on("shm"),
                     [&](World&) {
                       if (loaded.at(999) != 7) throw std::runtime_error("not the same");
                     }),
            kExitDone);
}

TEST(Start, TellsWhoFailedFirstAndWhy) {
  for (const char* wire : kWires) {
    const Told told = run_and_listen(three_on(wire), [](World& world) {
      if (world.rank() == 1) throw std::runtime_error("out of luck");
      world.barrier();
    });
    EXPECT_EQ(told.status, kExitFailed) << wire;
    EXPECT_THAT(told.err, HasSubstr("trireme train: rank 1: out of luck\n")) << wire;
    EXPECT_THAT(told.err.substr(told.err.rfind("trireme train: first failure: ")), HasSubstr("out of luck"))
        << wire;
  }
}

TEST(Start, ShowsTheLastLinesOfANodeThatDied) {
  const Told told = run_and_listen(three_on("shm"), [](World& world) {
    if (world.rank() == 1) {
      for (int line = 1; line <= 12; ++line) std::fprintf(stderr, "line %d\n", line);
      ::raise(SIGKILL);
    }
    world.barrier();
  });
  EXPECT_EQ(told.status, kExitFailed);
  EXPECT_THAT(told.err, HasSubstr("[1] line 12\n"));
  EXPECT_THAT(told.err, HasSubstr("trireme train: the last lines of rank 1:\n    line 3\n    line 4\n"));
  EXPECT_THAT(told.err, HasSubstr("first failure: rank 1 (process "));
  EXPECT_THAT(told.err, HasSubstr("was killed by signal 9 (Killed)"));
}

TEST(Start, LeavesTheLinesOfRank0AsTheyAre) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_here(three_on("shm"), [](World& world) { std::printf("from %d\n", world.rank()); }),
            kExitDone);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_THAT(out, HasSubstr("[2] from 2\n"));
  EXPECT_THAT(out, HasSubstr("from 0\n"));
  EXPECT_THAT(out, Not(HasSubstr("[0] ")));
}

TEST(Start, KeepsALogOfEachNode) {
  const ScratchFolder folder;
  StartOptions options = three_on("tcp");
  options.logs = folder.path();
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_here(options, [](World& world) { std::printf("from %d\n", world.rank()); }), kExitDone);
  (void)testing::internal::GetCapturedStdout();
  EXPECT_EQ(content(folder.path() / "rank-2.log"), "from 2\n");
}

TEST(Start, EndsOnAnInterrupt) {
  const pid_t launcher = ::getpid();
  StartOptions options = three_on("shm");
  options.interrupted = [] { write_error("last words\n"); };
  const Told told = run_and_listen(options, [&](World& world) {
    if (world.rank() == 0) ::kill(launcher, SIGINT);
    ::pause();
  });
  EXPECT_EQ(told.status, kExitInterrupted);
  EXPECT_EQ(told.err, "last words\ntrireme train: interrupted by signal 2 (Interrupt)\n");
}

TEST(StartDeathTest, EndsWithAWordWhereNodesAreThreads) {
  StartOptions options = three_on("threads");
  options.interrupted = [] { write_error("last words\n"); };
  for (const int number : {SIGINT, SIGTERM}) {
    EXPECT_EXIT((void)run_here(options,
                               [&](World& world) {
                                 if (world.rank() == 0) ::kill(::getpid(), number);
                                 ::pause();
                               }),
                testing::ExitedWithCode(kExitInterrupted),
                std::string("last words\ntrireme train: interrupted by signal ") + std::to_string(number));
  }
}

TEST(Start, SaysThatInputIsBad) {
  for (const char* wire : kWires) {
    const Told told = run_and_listen(three_on(wire), [](World& world) {
      if (world.rank() == 2) throw bad_input("this is no number", "give one");
      world.barrier();
    });
    EXPECT_EQ(told.status, kExitBadInput) << wire;
    EXPECT_THAT(told.err, HasSubstr("trireme train: rank 2: this is no number; give one\n")) << wire;
  }
}

TEST(Start, KnowsWhenTheProcessBegan) {
  const auto age = std::chrono::steady_clock::now() - process_start();
  EXPECT_GE(age, std::chrono::milliseconds(-20));  // it is known in hundredths of a second
  EXPECT_LT(age, std::chrono::minutes(10));
}

}  // namespace
}  // namespace trireme::train
