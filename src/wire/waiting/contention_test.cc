#include "wire/waiting/contention.h"

#include <gtest/gtest.h>

#include <chrono>

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;
using Clock = Contention::Clock;

std::int64_t switches = 0;

class AWaitingNode : public testing::Test {
 protected:
  // A look that comes `time` after the one before.
  void look_after(Contention& contention, Clock::duration time) {
    now_ += time;
    contention.look(now_);
  }

  Clock::time_point now_ = Clock::time_point() + 1h;
  Contention contention_{/*crowded=*/false, [] { return switches; }};
};

TEST_F(AWaitingNode, SpinsOnAQuietMachine) {
  contention_.begin(now_);
  for (int i = 0; i < 1000; ++i) look_after(contention_, 3us);
  EXPECT_FALSE(contention_.is_seen());
}

TEST_F(AWaitingNode, SleepsOnceItsCoreWasTakenAway) {
  contention_.begin(now_);
  look_after(contention_, 3us);
  ++switches;
  look_after(contention_, 4ms);
  EXPECT_TRUE(contention_.is_seen());
}

TEST_F(AWaitingNode, RemembersItInTheNextWaitsAndThenTriesAgain) {
  contention_.begin(now_);
  ++switches;
  look_after(contention_, 4ms);
  contention_.begin(now_ + Contention::kRemembered - 1ms);
  EXPECT_TRUE(contention_.is_seen());
  contention_.begin(now_ + Contention::kRemembered);
  EXPECT_FALSE(contention_.is_seen());
}

TEST_F(AWaitingNode, DoesNotMistakeALongCopyForALostCore) {
  contention_.begin(now_);
  look_after(contention_, 4ms);
  EXPECT_FALSE(contention_.is_seen());
}

TEST_F(AWaitingNode, DoesNotCountTheWorkBetweenWaits) {
  contention_.begin(now_);
  ++switches;
  contention_.begin(now_ + 1s);
  contention_.look(now_ + 1s + 3us);
  EXPECT_FALSE(contention_.is_seen());
}

TEST_F(AWaitingNode, GivesItsCoreToOtherNodesWhereTheyShareThem) {
  Contention crowded(/*crowded=*/true, [] { return switches; });
  crowded.begin(now_);
  ++switches;
  look_after(crowded, 1ms);
  EXPECT_FALSE(crowded.is_seen());
}

TEST_F(AWaitingNode, SleepsWhereNodesShareCoresOnceItsCoreComesBackLate) {
  Contention crowded(/*crowded=*/true, [] { return switches; });
  crowded.begin(now_);
  ++switches;
  look_after(crowded, 4ms);
  EXPECT_TRUE(crowded.is_seen());
}

}  // namespace
}  // namespace trireme::wire
