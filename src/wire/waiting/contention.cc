#include "wire/waiting/contention.h"

#include <sys/resource.h>

#include "base/system/cores.h"

namespace trireme::wire {

Contention::Contention(bool crowded, Switches switches)
    : taken_away_(crowded ? kTakenAwayWhenCrowded : kTakenAway),
      switches_(switches),
      known_switches_(switches()) {}

// A look may take long for another reason: it may process data that has arrived.
void Contention::learn(Clock::time_point now) {
  const std::int64_t switches = switches_();
  if (switches == known_switches_) return;
  known_switches_ = switches;
  until_ = now + kRemembered;
  Cores::take_short_turns();
}

std::int64_t Contention::involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace trireme::wire
