// Blocks a signal by which the system would end the process when a call fails, so that the call returns the
// reason instead. Other threads and programs started by exec see no difference.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace trireme {

class BlockedSignal {
 public:
  explicit BlockedSignal(int number) {
    sigemptyset(&held_);
    sigaddset(&held_, number);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~BlockedSignal() {
    // A signal that arrived in the meantime would still end the process.
    const timespec at_once{};
    while (sigtimedwait(&held_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockedSignal(const BlockedSignal&) = delete;
  BlockedSignal& operator=(const BlockedSignal&) = delete;

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace trireme
