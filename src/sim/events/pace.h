// The progress of the slowest worker, without looking at every worker.
#pragma once

#include <cstdint>
#include <deque>

#include "base/types.h"

namespace trireme::sim {

class Pace {
 public:
  explicit Pace(std::int64_t workers = 0) : at_(1, workers) {}

  [[nodiscard]] std::int64_t slowest() const { return slowest_; }
  /// Moves a worker from `from` to the next update. Returns true if the slowest has moved.
  bool go_on(std::int64_t from) {
    const std::size_t place = idx(from - slowest_);
    if (place + 1 == at_.size()) at_.push_back(0);
    --at_[place];
    ++at_[place + 1];
    const std::int64_t before = slowest_;
    for (; at_.front() == 0; ++slowest_) at_.pop_front();
    return slowest_ != before;
  }

 private:
  std::int64_t slowest_ = 0;
  std::deque<std::int64_t> at_;  // [k]: how many workers are k ahead of the slowest
};

}  // namespace trireme::sim
