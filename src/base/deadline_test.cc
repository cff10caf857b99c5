#include "base/deadline.h"

#include <gtest/gtest.h>

#include <thread>

namespace trireme {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, BeginsWhenItIsMade) {
  const auto before = Deadline::Clock::now();
  const Deadline deadline = Deadline::after(1ms);
  const auto after = Deadline::Clock::now();
  EXPECT_EQ(deadline.limit(), 1ms);
  EXPECT_GE(deadline.end(), before + 1ms);
  EXPECT_LE(deadline.end(), after + 1ms);
}

TEST(Deadline, BeginsATickEarlierAtTheMostIfItIsLong) {
  const auto before = Deadline::Clock::now();
  const Deadline deadline = Deadline::after(1h);
  const auto after = Deadline::Clock::now();
  EXPECT_GE(deadline.end(), before + 1h - 20ms);  // the longest tick is 10 ms
  EXPECT_LE(deadline.end(), after + 1h);
}

TEST(Deadline, IsNotExpiredBeforeItsEnd) {
  const Deadline deadline = Deadline::after(1h);
  EXPECT_FALSE(deadline.expired());
  EXPECT_LT(deadline.elapsed(), 1h);
}

TEST(Deadline, IsExpiredFromItsEndOn) {
  const Deadline deadline = Deadline::after(2ms);
  std::this_thread::sleep_until(deadline.end());
  EXPECT_TRUE(deadline.expired());
  EXPECT_GE(deadline.elapsed(), 2ms);
}

TEST(Deadline, OfNothingIsExpiredAtOnce) {
  EXPECT_TRUE(Deadline::after(0s).expired());
  EXPECT_TRUE(Deadline::after(-1s).expired());
}

TEST(Deadline, FarBeyondAllTimeEndsAtTheLastMoment) {
  const Deadline deadline = Deadline::after(Deadline::Clock::duration::max());
  EXPECT_EQ(deadline.end(), Deadline::Clock::time_point::max());
  EXPECT_FALSE(deadline.expired());
}

TEST(Deadline, ACopyIsTheSameDeadline) {
  const Deadline deadline = Deadline::after(1h);
  std::this_thread::sleep_for(1ms);
  const Deadline copy = deadline;
  EXPECT_EQ(copy.end(), deadline.end());
  EXPECT_GE(copy.elapsed(), 1ms);
}

}  // namespace
}  // namespace trireme
