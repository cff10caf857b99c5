// The events of a simulation in order of time; events of the same time stay in the order in which they were
// added.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/model/time.h"

namespace trireme::sim {

/// A radix heap: time only increases, so events are kept in buckets by the highest bit in which their time
/// differs from the current time. Adding an event touches one bucket; an event moves at most once for each
/// bit. `Event` has a member `time`.
template <typename Event>
class EventQueue {
 public:
  /// The event must not be before the last one that was taken.
  void add(const Event& event) {
    if (event.time > kLatest) refuse_as_too_long("the simulated job", kLatest);
    put(event);
    ++size_;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The queue must not be empty.
  [[nodiscard]] Event take() {
    if (taken_ == present().size()) advance();
    --size_;
    return present()[taken_++];
  }

 private:
  static constexpr int kBuckets = 65;

  [[nodiscard]] std::vector<Event>& present() { return buckets_[0]; }

  void put(const Event& event) {
    const auto bucket = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(event.time ^ now_)));
    buckets_[static_cast<std::size_t>(bucket)].push_back(event);
    if (bucket > 0) filled_ |= std::uint64_t{1} << (bucket - 1);
  }

  // Moves to the next time that has an event.
  void advance() {
    present().clear();
    taken_ = 0;
    const int lowest = std::countr_zero(filled_) + 1;
    filled_ &= filled_ - 1;
    std::vector<Event>& next = buckets_[static_cast<std::size_t>(lowest)];
    now_ = std::min_element(next.begin(), next.end(), [](const Event& a, const Event& b) {
             return a.time < b.time;
           })->time;
    moved_.swap(next);
    for (const Event& event : moved_) put(event);
    moved_.clear();
  }

  std::array<std::vector<Event>, kBuckets> buckets_;  // 0: the current time
  std::vector<Event> moved_;
  std::uint64_t filled_ = 0;  // bit b: bucket b+1 holds something
  std::size_t taken_ = 0;     // events of the current time that were taken
  std::size_t size_ = 0;
  Picoseconds now_ = 0;
};

}  // namespace trireme::sim
