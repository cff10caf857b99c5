#include "wire/cores.h"

namespace trireme {

Cores::Cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof(mask), &mask) != 0) CPU_SET(0, &mask);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) usable_.push_back(core);
  }
}

// What the thread may use is asked again: it may be another one by now, or bound to a core of its own.
void Cores::move_to(int core) {
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof(mask), &mask) != 0 || !CPU_ISSET(core, &mask)) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (::sched_setaffinity(0, sizeof(one), &one) == 0) ::sched_setaffinity(0, sizeof(mask), &mask);
}

}  // namespace trireme
