#include "exec/tick_course.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace trireme {

TickCourse::TickCourse(const Task& task, Windows& windows)
    : task_(task),
      windows_(windows),
      entrance_(windows),
      purpose_(task.purpose),
      trace_(empty_trace(task.program)) {
  for (const Op& op : task.program.ops) {
    if (op.kind != OpKind::kFold) peers_.push_back(op.peer);
  }
  std::sort(peers_.begin(), peers_.end());
  peers_.erase(std::unique(peers_.begin(), peers_.end()), peers_.end());
}

void TickCourse::open(std::uint64_t ticks, std::uint64_t place) {
  purpose_.put_at(place);
  first_tick_ = entrance_.come(purpose_, ticks);
  inside_ = false;
  through_ = false;
}

void TickCourse::meet() {
  if (windows_.nodes() == 1) return;
  open(1, 0);
  raise(0);
  stop_at(0, 0);
}

void TickCourse::stop_at(std::uint64_t tick, std::int32_t step) {
  awaited_ = first_tick_ + tick;
  arrived_ = 0;
  step_ = step;
}

bool TickCourse::advance() {
  while (!through_) {
    if (!arrived()) {
      windows_.require_present(*this);
      if (!arrived()) return false;
    }
    pass();
  }
  return true;
}

void TickCourse::finish(const Deadline& deadline) {
  while (!through_) {
    windows_.wait(*this, deadline);
    pass();
  }
}

void TickCourse::pass() {
  if (!std::exchange(inside_, true)) entrance_.require_same();
  if (!is_empty() && go_on()) return;
  through_ = true;
  if (!is_empty()) windows_.count(moved());
  const std::int64_t end = watch_.picoseconds();
  for (TraceEvent& event : trace_.events) event.end_ps = end;
}

void TickCourse::require_peers_here() const {
  std::atomic_thread_fence(std::memory_order_acquire);
  for (const Rank peer : peers_) {
    if (!windows_.roster().has_left(peer)) continue;
    throw lost_peer(task_.program.node, transfer_with(peer), windows_.roster(), nullptr);
  }
}

std::int32_t TickCourse::step() const { return step_; }

bool TickCourse::arrived() {
  if (!inside_) return entrance_.arrived();
  while (arrived_ < peers_.size() && windows_.reached(peers_[arrived_], awaited_)) ++arrived_;
  return arrived_ == peers_.size();
}

Transfer TickCourse::missing(const Roster& roster) const {
  if (!inside_) return transfer_with(entrance_.missing(roster).peer);
  const auto first = peers_.begin() + static_cast<std::ptrdiff_t>(arrived_);
  const auto lost = std::find_if(first, peers_.end(), [&](Rank peer) {
    return roster.has_left(peer) && !windows_.reached(peer, awaited_);
  });
  if (lost != peers_.end()) return transfer_with(*lost);
  return transfer_with(first == peers_.end() ? peers_.back() : *first);
}

// The message of this step that is waited for, if possible one that should come from the peer.
Transfer TickCourse::transfer_with(Rank peer) const {
  const Op* found = nullptr;
  for (const Op& op : task_.program.ops) {
    if (op.kind == OpKind::kFold || op.peer != peer) continue;
    const bool better = found == nullptr || (found->step != step_ && op.step == step_) ||
                        (op.step == step_ && op.kind == OpKind::kReceive);
    if (better) found = &op;
  }
  if (found == nullptr) return {.peer = peer, .combine = copy_bytes};  // waited for at the entrance alone
  Transfer transfer{.peer = peer, .id = found->id, .bytes = task_.bytes(found->slice.count)};
  if (found->kind == OpKind::kReceive) transfer.combine = copy_bytes;
  return transfer;
}

}  // namespace trireme
