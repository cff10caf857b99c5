// A worker's place in its job: what joining takes from the program and from the environment, and who is the
// worker when a process forks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "api/world_test_util.h"
#include "launch/job.h"
#include "wire/shm/segment.h"
#include "world/environment.h"

namespace trireme {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

bool sums_to(World& world, std::int64_t expected) {
  std::vector<std::int64_t> numbers{world.rank() + 1};
  world.sum(numbers);
  return expect(numbers[0] == expected, "the sum over all workers");
}

TEST(ASecondJoin, IsRefusedInWordsAndHarmsNothing) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    const std::string second = thrown_by([] { (void)join(0, nullptr); });
    Buffer<float> numbers = world.buffer<float>(1000);  // more memory of the first World
    return says(second, "this process has called join before; join once") && sums_to(world, 3) &&
           expect(numbers[999] == 0, "a buffer");
  });
}

TEST(ASecondJoin, IsRefusedAlsoInAJobOfOne) {
  on_nodes(1, [] {
    World world = join(0, nullptr);
    return says(thrown_by([] { (void)join(0, nullptr); }), "this process has called join before") &&
           sums_to(world, 1);
  });
}

// Runs the act in a child that is forked, and says whether it was well there.
bool in_child(const std::function<bool()>& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(act() ? 0 : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(AForkedChild, LeavesTheWorkerUnharmedWhenItReturnsFromMain) {
  on_nodes(3, [] {
    auto* world = new World(join(0, nullptr));
    auto* numbers = new Buffer<float>(world->buffer<float>(1000));
    (*numbers)[500] = 7;
    world->barrier();
    const bool child = in_child([&] {  // as the end of main does
      delete numbers;
      delete world;
      return true;
    });
    const bool kept = expect((*numbers)[500] == 7, "what the worker has in shared memory");
    world->average(*numbers);
    const bool averaged = expect((*numbers)[500] == 7, "the average");
    delete numbers;
    delete world;
    return child && kept && averaged;
  });
}

TEST(AForkedChild, IsNotTheWorker) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    const bool child = in_child([&] {
      std::vector<float> numbers(3);
      return says(thrown_by([&] { world.sum(numbers); }), "a sum in process") &&
             says(thrown_by([&] { world.barrier(); }), "which has joined the job") &&
             says(thrown_by([] { (void)join(0, nullptr); }), "which has called join before");
    });
    return child && sums_to(world, 3);
  });
}

TEST(AWorkerThatExitsInMidTraining, IsTheFirstFailureThoughItsStatusIsZero) {
  launch::JobOptions options;
  options.nodes = 3;
  options.memory = wire::shm::Segment::create(options.nodes);
  const launch::JobEnd end = launch::run_job(options, [](Rank) {
    World world = join(0, nullptr);
    for (int step = 0; step < 10; ++step) {
      if (world.rank() == 1 && step == 5) std::exit(0);
      if (!thrown_by([&] { world.barrier(); }).empty()) return 1;
    }
    return 0;
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_EQ(end.first_failure->rank, 1);
  EXPECT_THAT(end.first_failure->text, HasSubstr("exited with status 0 before the others were done; rank "));
}

TEST(AWorkerThatIsBusyForTooLong, IsToldHowToGetMoreTime) {
  launch::JobOptions options;
  options.nodes = 2;
  options.timeout = 100ms;
  options.memory = wire::shm::Segment::create(options.nodes);
  const launch::JobEnd end = launch::run_job(options, [](Rank rank) {
    World world = join(0, nullptr);
    if (rank == 0) std::this_thread::sleep_for(2s);  // far longer than any start takes
    return thrown_by([&] { world.barrier(); }).empty() ? 0 : 1;
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_EQ(end.first_failure->rank, 0);
  EXPECT_THAT(end.first_failure->text, HasSubstr("or give it longer: --timeout, TRIREME_TIMEOUT"));
}

bool joins_with(const JoinOptions& options, std::chrono::nanoseconds timeout) {
  return expect(join(0, nullptr, options).timeout() == timeout, "the timeout");
}

TEST(JoinOptions, HoldWhereTheEnvironmentSaysNothing) {
  on_nodes(2, [] { return joins_with({.timeout = 2min}, 2min); });
  on_nodes(2, [] { return joins_with({}, 60s); });
}

TEST(JoinOptions, HoldLessThanTheEnvironment) {
  on_nodes(2, [] { return joins_with({.timeout = 2min, .wire = "tcp"}, 7s); },
           {{world::environment::kTimeout, "7s"}, {world::environment::kWire, "shm"}});
}

TEST(JoinOptions, ThatMakeNoSenseAreRefusedByTheirNames) {
  on_nodes(1, [] {
    return says(thrown_by([] { (void)join(0, nullptr, {.wire = "tpc"}); }),
                "JoinOptions::wire: there is no wire 'tpc'; did you mean tcp?");
  });
  on_nodes(1, [] {
    return says(thrown_by([] { (void)join(0, nullptr, {.timeout = 0s}); }), "JoinOptions::timeout");
  });
}

}  // namespace
}  // namespace trireme
