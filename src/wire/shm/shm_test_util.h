// A job whose nodes all live in one test.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/system/process_test_util.h"
#include "wire/shm/segment.h"
#include "wire/shm/shm.h"
#include "wire/wire_test_util.h"

namespace trireme::wire::shm {

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

}  // namespace trireme::wire::shm
