#include "wire/patience.h"

#include <sched.h>

#include <thread>

namespace trireme {
namespace {

using namespace std::chrono_literals;

constexpr int kLooksBeforeYield = 20;
// Long enough (milliseconds) that no message of an exchange at work meets it: a sleeper comes back late.
constexpr int kLooksBeforeSleep = 5000;
constexpr auto kSleep = 50us;

}  // namespace

void Patience::look_away() {
  if (!crowded_ || ++looks_ < kLooksBeforeYield) return;
  if (looks_ < kLooksBeforeSleep) {
    ::sched_yield();
    return;
  }
  looks_ = kLooksBeforeSleep;
  std::this_thread::sleep_for(kSleep);
}

}  // namespace trireme
