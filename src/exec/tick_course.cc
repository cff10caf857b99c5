#include "exec/tick_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "exec/task.h"

namespace trireme {

TickCourse::TickCourse(const Task& task, Windows& windows)
    : task_(task), windows_(windows), trace_(empty_trace(task.program)) {
  for (const Op& op : task.program.ops) {
    if (op.kind != OpKind::kFold) peers_.push_back(op.peer);
  }
  std::sort(peers_.begin(), peers_.end());
  peers_.erase(std::unique(peers_.begin(), peers_.end()), peers_.end());
  for (Rank node = 0; node < task.spec.nodes(); ++node) {
    if (node != task.program.node) others_.push_back(node);
  }
}

void TickCourse::open(std::uint64_t ticks, std::uint64_t place) {
  watch_.restart();
  first_tick_ = windows_.take_ticks(ticks);
  exchange_ = windows_.next_exchange();
  note() = {.digest = mix(task_.digest, place), .pulled = 0, .spread = 0};
  compared_ = false;
  through_ = false;
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
  if (!std::exchange(compared_, true)) require_same_exchange();
  if (go_on()) return;
  through_ = true;
  windows_.count(moved());
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
  const std::vector<Rank>& nodes = waited_for();
  while (arrived_ < nodes.size() && windows_.reached(nodes[arrived_], awaited_)) ++arrived_;
  return arrived_ == nodes.size();
}

Transfer TickCourse::missing(const Roster& roster) const {
  const std::vector<Rank>& nodes = waited_for();
  const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(arrived_);
  const auto lost = std::find_if(first, nodes.end(), [&](Rank node) {
    return roster.has_left(node) && !windows_.reached(node, awaited_);
  });
  if (lost != nodes.end()) return transfer_with(*lost);
  return transfer_with(first == nodes.end() ? nodes.back() : *first);
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

void TickCourse::require_same_exchange() const {
  for (const Rank peer : others_) {
    if (note_of(peer).digest == windows_.note(exchange_).digest) continue;
    Failure failure;
    failure.cause = Failure::Cause::kMismatch;
    failure.peer = peer;
    failure.what = fmt::format("rank {} runs another exchange than this node", peer);
    failure.hint = "let every node run the same exchanges in the same order";
    throw Error(std::move(failure));
  }
}

}  // namespace trireme
