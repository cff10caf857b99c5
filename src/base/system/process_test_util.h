// Processes that tests start, stop and kill, and a wait for a condition.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "base/deadline.h"

namespace trireme {

/// Checks the condition until it is true, for at most a minute.
inline bool comes_true(const std::function<bool()>& condition) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  while (!condition()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// A process that runs the body, made by fork. It ends with this object at the latest, and by itself after
/// two minutes.
class Child {
 public:
  explicit Child(const std::function<void()>& body) : process_(::fork()) {
    if (process_ != 0) return;
    ::alarm(120);
    body();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  ~Child() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }
  void kill() const { ::kill(process_, SIGKILL); }
  /// Returns when the process has stopped.
  void stop() const {
    ::kill(process_, SIGSTOP);
    wait_until_stopped();
  }
  void wait_until_stopped() const {
    int status = 0;
    ::waitpid(process_, &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void go_on() const { ::kill(process_, SIGCONT); }
  /// Waits for the process to end and returns the status that waitpid gives.
  int reap() {
    int status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    return status;
  }

 private:
  pid_t process_;
};

/// A process that does nothing.
inline std::unique_ptr<Child> idle_child() {
  return std::make_unique<Child>([] {
    for (;;) ::pause();
  });
}

}  // namespace trireme
