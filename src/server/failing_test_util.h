// Jobs of which one node goes away or stops in the middle of a phase, as threads and as processes: what the
// others say of it, and when.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/serving_test_util.h"

namespace trireme::server {

/// How a node fails.
enum class End : std::uint8_t {
  kDies,   ///< a process is killed; a thread leaves the wire as one that is
  kStops,  ///< it does nothing any more
};

/// What another node says of it.
struct Reported {
  std::optional<Rank> culprit{};
  double after_s = 0;  ///< since the fault
  std::string text{};
};

/// How late this machine is at least: a thread that wants to wake up after 10 ms says how late it was. Limits
/// of time are to be stretched by it.
class Lateness {
 public:
  Lateness() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  [[nodiscard]] double most_s() const { return most_; }

 private:
  void watch(const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    while (!stop.stop_requested()) {
      const Clock::time_point start = Clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::chrono::duration<double> took = Clock::now() - start;
      most_ = std::max(most_.load(), took.count() - 0.01);
    }
  }

  std::atomic<double> most_ = 0;
  std::jthread thread_;
};

class FailingJob {
 public:
  FailingJob(Drill drill, Rank culprit, End end)
      : drill_(std::move(drill)), culprit_(culprit), end_(end), nodes_(drill_.workers + drill_.servers) {
    board_ = new (memory_.data()) Board;
  }

  /// The node fails here. Called by it, in the middle of the phase.
  void fail() {
    board_->fault_ns.store(now_ns());
    if (is_process()) ::raise(end_ == End::kDies ? SIGKILL : SIGSTOP);
    if (end_ == End::kStops) wait_for_others(nodes_ - 1);
    // Before the memory is freed that messages are for.
    Failure failure;
    failure.cause = Failure::Cause::kFailed;
    failure.rank = failure.culprit = culprit_;
    failure.what = "this node went away (a fault made on purpose)";
    thread_->leave(failure);
    throw Gone{};
  }

  /// The process dies so much later, whatever it does then. Called by it.
  void die_after(std::chrono::microseconds delay) {
    board_->fault_ns.store(now_ns() + std::chrono::nanoseconds(delay).count());
    ::signal(SIGALRM, SIG_DFL);
    ::ualarm(static_cast<useconds_t>(delay.count()), 0);
  }

  /// Returns when so many others have ended, or after a long time.
  void wait_for_others(int others) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (board_->others.load() < others && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  /// Returns what all others say, by rank.
  std::vector<Reported> run() {
    is_process() ? on_processes() : on_threads();
    std::vector<Reported> all(idx(nodes_));
    for (Rank rank = 0; rank < nodes_; ++rank) {
      if (rank == culprit_) continue;
      const Said& said = board_->said[rank];
      all[idx(rank)] = {.culprit = said.culprit < 0 ? std::nullopt : std::optional<Rank>(said.culprit),
                        .after_s = static_cast<double>(said.at_ns - board_->fault_ns.load()) / 1e9,
                        .text = said.text};
    }
    return all;
  }

  [[nodiscard]] Drill& drill() { return drill_; }
  /// How late this machine was at least, while the job ran.
  [[nodiscard]] double most_late_s() const { return lateness_ ? lateness_->most_s() : 0; }

 private:
  struct Gone {};
  struct Said {
    Rank culprit = -1;
    std::int64_t at_ns = 0;
    char text[1000] = "";
  };
  struct Board {
    std::atomic<std::int64_t> fault_ns = 0;
    std::atomic<int> others = 0;  // that have ended
    Said said[8];
  };

  static std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  [[nodiscard]] bool is_process() const {
    return drill_.fabric == exec::Fabric::kShmProcesses || drill_.fabric == exec::Fabric::kTcpProcesses;
  }
  void node(wire::Wire& wire) {
    DrillResult result;
    result.resize_for(drill_);
    const Phase phase{.first = 0, .gradients = drill_.steps * drill_.workers};
    Said& said = board_->said[wire.rank()];
    if (wire.rank() == culprit_) thread_ = &wire;
    try {
      wire.rank() < drill_.workers ? work_drill(drill_, wire, result, phase)
                                   : serve_drill(drill_, wire, result, phase);
    } catch (const Gone&) {
      return;
    } catch (const Error& error) {
      said.at_ns = now_ns();
      said.culprit = error.failure().culprit.value_or(-1);
      std::strncpy(said.text, error.what(), sizeof(said.text) - 1);
      wire.leave(error.failure());
    }
    board_->others.fetch_add(1);
  }

  void on_threads() {
    lateness_.emplace();
    exec::run_on(drill_.fabric, nodes_, [&](wire::Wire& wire) { node(wire); });
  }

  void on_processes() {
    const std::shared_ptr<wire::shm::Segment> segment = wire::shm::Segment::create(nodes_);
    const bool is_tcp = drill_.fabric == exec::Fabric::kTcpProcesses;
    std::vector<std::vector<wire::rendezvous::Link>> links;
    if (is_tcp) links = wire::tcp::connected_nodes(nodes_);
    std::vector<pid_t> processes;
    for (Rank rank = 0; rank < nodes_; ++rank) {
      const pid_t process = ::fork();
      ASSERT_GE(process, 0);
      if (process == 0) {
        if (is_tcp) {
          wire::tcp::TcpWire wire(rank, std::move(links[idx(rank)]));
          links.clear();
          node(wire);
        } else {
          wire::shm::ShmWire wire(segment, rank);
          node(wire);
        }
        ::_exit(0);
      }
      processes.push_back(process);
    }
    links.clear();
    lateness_.emplace();  // not before: what a starting thread has locked stays locked in a forked child
    wait_for_others(nodes_ - 1);
    for (const pid_t process : processes) {
      ::kill(process, SIGKILL);  // the one that is stopped; if others still run, the test has failed
      ::waitpid(process, nullptr, 0);
    }
  }

  Drill drill_;
  const Rank culprit_;
  const End end_;
  const Rank nodes_;
  exec::SharedBytes memory_{sizeof(Board)};
  Board* board_ = nullptr;
  wire::Wire* thread_ = nullptr;  // of the node that fails
  std::optional<Lateness> lateness_;
};

}  // namespace trireme::server
