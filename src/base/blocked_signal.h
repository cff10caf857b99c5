// A signal by which the system would end the process where a call has failed: held back, so that the call
// returns the reason. Other threads and what is exec'd see no difference.
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
    // What has come meanwhile would end the process after all.
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
