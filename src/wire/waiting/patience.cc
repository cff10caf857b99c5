#include "wire/waiting/patience.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;

constexpr int kLooksBeforeYield = 20;
// If other processes want the core, a look may itself yield: Open MPI does so when the host is crowded.
constexpr int kLooksWhenContended = 2;
// Long enough (milliseconds) that it never affects a message of a running exchange: a sleeper wakes up late.
constexpr int kLooksBeforeSleep = 5000;
constexpr auto kSleep = 50us;

}  // namespace

void Patience::look_away() {
  looks_ = std::min(looks_ + 1, kLooksBeforeSleep);
  if (looks_ < (contention_.is_seen() ? kLooksWhenContended : kLooksBeforeYield)) return;
  contention_.look(Contention::Clock::now());
  if (!contention_.is_seen()) {
    if (!crowded_) return;
    if (looks_ < kLooksBeforeSleep) {
      ::sched_yield();
      return;
    }
  }
  std::this_thread::sleep_for(kSleep);
}

}  // namespace trireme::wire
