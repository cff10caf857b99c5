#include "base/system/cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <thread>

namespace trireme {
namespace {

TEST(ShortTurns, ChangeNeitherPolicyNorPriority) {
  std::thread([] {
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    Cores::take_short_turns();
    EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), nice);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
  }).join();
}

}  // namespace
}  // namespace trireme
