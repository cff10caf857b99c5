// How a wait goes through its stages, on a wire that is made up: what is looked at, told, slept and thrown.
#include "wire/waiting/waiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "wire/wire_test_util.h"

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Cause = Failure::Cause;

// Arrives at a given look.
class Awaits final : public Awaited {
 public:
  explicit Awaits(int looks) : left_(looks) {}
  bool arrived() override {
    ++looks;
    return looks >= left_;
  }
  [[nodiscard]] Transfer missing(const Roster&) const override {
    return {.peer = 1, .id = id_changes ? OpId{looks} : OpId{0}, .combine = copy_bytes};
  }

  int looks = 0;
  bool id_changes = false;  // each look brings one message of several

 private:
  const int left_;
};

constexpr int kNever = 1'000'000'000;

class FakeWire final : public Waiter {
 public:
  explicit FakeWire(const Looks& looks, Clock::duration tell_after = 0ms)
      : Waiter(0, roster, /*crowded=*/true, looks, tell_after) {}

  Roster roster{2};
  std::vector<std::string> events;
  Presence peer = Presence::kHere;
  std::function<void()> asleep = [] {};

 private:
  void on_first_looks_in_vain() override { events.emplace_back("in vain"); }
  void arm() override { events.emplace_back("arm"); }
  void disarm() noexcept override { events.emplace_back("disarm"); }
  Presence presence(Rank) override { return peer; }
  void tell_waits_for(Rank told) override { events.push_back("tell " + std::to_string(told)); }
  void sleep(Clock::time_point until) override {
    events.emplace_back("sleep");
    asleep();
    std::this_thread::sleep_until(std::min(until, Clock::now() + 1ms));
  }
};

Failure failure_of_waiting(FakeWire& wire, Awaits& awaited, const Deadline& deadline) {
  try {
    wire.wait_for(awaited, deadline);
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "did not throw";
  return {};
}

TEST(AWait, EndsWithTheFirstLooksWithoutAWord) {
  FakeWire wire({.eager = 3, .least = 3, .most = 3, .contended = 3, .yields = 3});
  Awaits awaited(3);
  wire.wait_for(awaited, soon());
  EXPECT_TRUE(wire.events.empty());
}

TEST(AWait, LooksOnBeforeItSleeps) {
  FakeWire wire({.eager = 2, .least = 10, .most = 10, .contended = 10, .yields = 0});
  Awaits awaited(10);
  wire.wait_for(awaited, soon());
  EXPECT_THAT(wire.events, ElementsAre("in vain"));
}

TEST(AWait, TellsForWhomItSleepsAndThatItIsOver) {
  FakeWire wire({.eager = 1, .least = 1, .most = 1, .contended = 1, .yields = 0});
  Awaits awaited(3);
  wire.wait_for(awaited, soon());
  EXPECT_THAT(wire.events,
              ElementsAre("in vain", "arm", "tell 1", "sleep", "disarm", "arm", "disarm", "tell -1"));
}

TEST(AWait, TellsNobodyWhenItIsShort) {
  FakeWire wire({.eager = 1, .least = 1, .most = 1, .contended = 1, .yields = 0}, 1h);
  Awaits awaited(3);
  wire.wait_for(awaited, soon());
  EXPECT_THAT(wire.events, ElementsAre("in vain", "arm", "sleep", "disarm", "arm", "disarm"));
}

TEST(AWait, LooksLessAfterWaitsInVainAndMoreAfterSuccess) {
  FakeWire wire({.eager = 1, .least = 4, .most = 16, .contended = 16, .yields = 0});
  const auto looks_until_it_sleeps = [&] {
    Awaits awaited(kNever);
    int looks = 0;
    wire.asleep = [&] {
      looks = awaited.looks;
      throw Error(Failure{});
    };
    EXPECT_THROW(wire.wait_for(awaited, soon()), Error);
    return looks - 1;  // the last after it was armed
  };
  EXPECT_EQ(looks_until_it_sleeps(), 16);
  EXPECT_EQ(looks_until_it_sleeps(), 8);
  EXPECT_EQ(looks_until_it_sleeps(), 4);
  EXPECT_EQ(looks_until_it_sleeps(), 4);
  Awaits at_once(1);
  for (int i = 0; i < 20; ++i) wire.wait_for(at_once, soon());
  EXPECT_EQ(looks_until_it_sleeps(), 16);
}

TEST(AWait, NamesThePeerThatIsLate) {
  FakeWire wire({});
  Awaits awaited(kNever);
  const Failure failure = failure_of_waiting(wire, awaited, Deadline::after(20ms));
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(wire.events.back(), "disarm");
  EXPECT_THAT(wire.events, testing::Not(testing::Contains("tell -1")));  // the others still know for whom
}

TEST(AWait, EndsWhenThePeerIsGone) {
  FakeWire wire({});
  Awaits awaited(kNever);
  wire.asleep = [&] { wire.peer = Presence::kGone; };
  const Failure failure = failure_of_waiting(wire, awaited, soon());
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.peer, 1);
}

TEST(AWait, TakesInAllThatCameBeforeThePeerWasGone) {
  FakeWire wire({});
  wire.peer = Presence::kGone;
  Awaits awaited(7);
  awaited.id_changes = true;
  EXPECT_NO_THROW(wire.wait_for(awaited, soon()));
}

TEST(AWait, GivesAPeerThatSeemsToGoHalfASecond) {
  FakeWire wire({});
  wire.peer = Presence::kLeaving;
  Awaits awaited(kNever);
  const auto begin = Deadline::Clock::now();
  EXPECT_EQ(failure_of_waiting(wire, awaited, soon()).cause, Cause::kPeerLost);
  EXPECT_GE(Deadline::Clock::now() - begin, kGrace);
}

TEST(AWait, EndsHalfASecondAfterAFailureElsewhere) {
  FakeWire wire({});
  Failure reason;
  reason.what = "the disk is full";
  wire.roster.fail(reason);
  Awaits awaited(kNever);
  const Failure failure = failure_of_waiting(wire, awaited, soon());
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_THAT(failure.what, HasSubstr("first failure: the disk is full"));
}

}  // namespace
}  // namespace trireme::wire
