#include "wire/shm/spreading.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace trireme::wire::shm {

Spreading::Spreading(std::shared_ptr<Segment> segment, Rank rank)
    : segment_(std::move(segment)),
      rank_(rank),
      look_every_(segment_->nodes() > cores_.count() ? kLookEveryWhenCrowded : 1) {
  for (Rank node = 0; node < segment_->nodes(); ++node) bells_.push_back(&segment_->bell(node));
}

void Spreading::move_apart() {
  const int own = Cores::current();
  std::atomic<std::int32_t>& told = bells_[idx(rank_)]->core;
  if (told.load(std::memory_order_relaxed) != own + 1) told.store(own + 1, std::memory_order_relaxed);
  const auto nodes_on = [&](int core) {
    return std::count_if(bells_.begin(), bells_.end(), [&](const Bell* bell) {
      return bell->core.load(std::memory_order_relaxed) == core + 1;
    });
  };
  for (std::size_t node = idx(rank_) + 1; node < bells_.size(); ++node) {
    if (bells_[node]->core.load(std::memory_order_relaxed) == own + 1) return;
  }
  for (const int core : cores_.usable()) {
    if (nodes_on(core) + 2 > nodes_on(own)) continue;
    Cores::move_to(core);
    bells_[idx(rank_)]->core.store(core + 1, std::memory_order_relaxed);
    return;
  }
}

}  // namespace trireme::wire::shm
