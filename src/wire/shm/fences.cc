#include "wire/shm/fences.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trireme::wire::shm {
namespace {

bool membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

Fences::Fences(bool wanted) : sleepers_pay_(wanted && membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)) {}

// Every process that has registered passes a fence while this call runs: on the cores where it runs, or when
// it is scheduled next.
bool Fences::before_sleep() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return sleepers_pay_ && membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

}  // namespace trireme::wire::shm
