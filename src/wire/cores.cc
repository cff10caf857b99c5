#include "wire/cores.h"

namespace trireme {

Cores::Cores() {
  CPU_ZERO(&mask_);
  if (::sched_getaffinity(0, sizeof(mask_), &mask_) != 0) CPU_SET(0, &mask_);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask_)) usable_.push_back(core);
  }
}

void Cores::move_to(int core) const {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (::sched_setaffinity(0, sizeof(one), &one) == 0) ::sched_setaffinity(0, sizeof(mask_), &mask_);
}

}  // namespace trireme
