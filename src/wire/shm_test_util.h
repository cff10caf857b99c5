// What the tests of shared memory share: a job whose nodes all live in the test, and processes that can be
// stopped and killed.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "wire/segment.h"
#include "wire/shm.h"
#include "wire/wire_test_util.h"

namespace trireme {

/// All nodes of a job. Each is used by one thread at a time, which may be the same for all.
class ShmJob {
 public:
  explicit ShmJob(Rank nodes) : segment_(Segment::create(nodes)) {
    for (Rank rank = 0; rank < nodes; ++rank) wires_.push_back(std::make_unique<ShmWire>(segment_, rank));
  }

  [[nodiscard]] Segment& segment() const { return *segment_; }
  [[nodiscard]] std::shared_ptr<Segment> shared_segment() const { return segment_; }
  [[nodiscard]] Rank nodes() const { return segment_->nodes(); }
  [[nodiscard]] ShmWire& wire(Rank rank) const { return *wires_[idx(rank)]; }
  /// The node goes without a word.
  void drop(Rank rank) { wires_[idx(rank)].reset(); }

  /// Runs the body on every node, each in a thread of its own.
  void on_all(const std::function<void(ShmWire&)>& body) const {
    std::vector<std::function<void()>> nodes;
    nodes.reserve(wires_.size());
    for (const auto& wire : wires_) nodes.emplace_back([&body, &wire] { body(*wire); });
    on_threads(nodes);
  }

  /// A window of all nodes: each one's part, by rank.
  [[nodiscard]] std::vector<Window> make_windows(std::size_t bytes) const {
    std::vector<Window> windows(wires_.size());
    on_all([&](ShmWire& wire) { windows[idx(wire.rank())] = wire.windows()->make(wire, bytes, soon()); });
    return windows;
  }

  /// How much memory the job's file takes.
  [[nodiscard]] std::int64_t allocated_bytes() const {
    struct stat status {};
    EXPECT_EQ(::fstat(segment_->fd(), &status), 0);
    return status.st_blocks * 512;
  }

 private:
  std::shared_ptr<Segment> segment_;
  std::vector<std::unique_ptr<ShmWire>> wires_;  // by rank
};

/// Asks until it is true, for a minute at most.
inline bool comes_true(const std::function<bool()>& condition) {
  const Deadline deadline = soon();
  while (!condition()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// A process that runs the body, made by fork. Ends with this object at the latest, and by itself after two
/// minutes.
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
  /// Returns when it has stopped.
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
  /// Waits for its end; the status as waitpid gives it.
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
