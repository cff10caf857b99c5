// A fence between a node that changes something and a node that is about to sleep: either the first sees that
// the other sleeps, or the other sees what was changed. Nodes change something all the time and sleep seldom,
// so the system lets the sleeper pay for both.
#pragma once

#include <atomic>

namespace trireme::wire::shm {

class Fences {
 public:
  /// Lets sleepers of other processes pay for this process, if the system can do that and it is `wanted`.
  explicit Fences(bool wanted = true);

  /// Between a change and looking who sleeps.
  void after_change() const {
    if (sleepers_pay_) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }
  /// Between saying that this node sleeps and looking for changes. Returns false if some nodes may not see
  /// that it sleeps: then it must look again by itself.
  [[nodiscard]] bool before_sleep() const;

 private:
  bool sleepers_pay_ = false;
};

}  // namespace trireme::wire::shm
