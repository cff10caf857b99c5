#include "base/system/cores.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace trireme {
namespace {

// Copied from <linux/sched/types.h>, which cannot be included together with <sched.h>.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

constexpr std::uint64_t kShortTurnNs = 100'000;  // the shortest that Linux grants

}  // namespace

Cores::Cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof(mask), &mask) != 0) CPU_SET(0, &mask);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) usable_.push_back(core);
  }
}

// Asks again which cores the thread may use: the caller may be another thread by now, or be bound to a core.
void Cores::move_to(int core) {
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof(mask), &mask) != 0 || !CPU_ISSET(core, &mask)) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (::sched_setaffinity(0, sizeof(one), &one) == 0) ::sched_setaffinity(0, sizeof(mask), &mask);
}

// Best effort: errors are ignored.
void Cores::take_short_turns() {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime_ns = kShortTurnNs;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace trireme
