#include "exec/tick_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace trireme::exec {

TickExecutor::TickExecutor(const Task& task, wire::shm::Windows& windows)
    : task_(task),
      windows_(windows),
      ticks_(windows.ticks()),
      entrance_(windows),
      signature_(task.signature),
      trace_(empty_trace(task.program)) {
  for (const plan::Op& op : task.program.ops) {
    if (op.kind != plan::OpKind::kFold) peers_.push_back(op.peer);
  }
  std::sort(peers_.begin(), peers_.end());
  peers_.erase(std::unique(peers_.begin(), peers_.end()), peers_.end());
}

void TickExecutor::open(std::uint64_t ticks, std::uint64_t place) {
  signature_.put_at(place);
  first_tick_ = entrance_.come(signature_, ticks);
  inside_ = false;
  through_ = false;
}

void TickExecutor::say_place(std::uint64_t place) { ticks_.say_place(place); }

const std::byte* TickExecutor::window_of(Rank peer, std::uint64_t place, std::size_t bytes) const {
  if (const std::byte* window = windows_.at_offset(place, bytes)) return window;
  const Rank in_job = windows_.members().job_rank(peer);
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.peer = failure.culprit = in_job;
  failure.what = fmt::format("rank {} brings its part in a window that this node does not have", in_job);
  failure.hint = "let every node make the same buffers, and keep them while they are used";
  throw Error(std::move(failure));
}

void TickExecutor::meet() {
  if (windows_.nodes() == 1) return;
  open(1, 0);
  raise(0);
  stop_at(0, 0);
}

void TickExecutor::stop_at(std::uint64_t tick, std::int32_t step) {
  awaited_ = first_tick_ + tick;
  arrived_ = 0;
  step_ = step;
}

bool TickExecutor::advance() {
  while (!through_) {
    if (!arrived()) {
      windows_.require_present(*this);
      if (!arrived()) return false;
    }
    pass();
  }
  return true;
}

void TickExecutor::finish(const Deadline& deadline) {
  while (!through_) {
    windows_.wait(*this, deadline);
    pass();
  }
}

void TickExecutor::pass() {
  if (!std::exchange(inside_, true)) entrance_.require_same();
  if (!is_empty() && go_on()) return;
  through_ = true;
  if (!is_empty()) windows_.count(moved());
  const std::int64_t end = watch_.picoseconds();
  for (plan::TraceEvent& event : trace_.events) event.end_ps = end;
}

void TickExecutor::require_here(Rank peer) const {
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!windows_.has_left(peer)) return;
  throw wire::lost_peer(windows_.members().job_rank(task_.program.node), transfer_with(peer),
                        windows_.roster(), nullptr);
}

std::int32_t TickExecutor::step() const { return step_; }

bool TickExecutor::arrived() {
  if (!inside_) return entrance_.arrived();
  while (arrived_ < peers_.size() && ticks_.reached(peers_[arrived_], awaited_)) ++arrived_;
  return arrived_ == peers_.size();
}

wire::Transfer TickExecutor::missing(const wire::Roster& /*roster*/) const {
  if (!inside_) return transfer_with(entrance_.missing_node());
  const auto first = peers_.begin() + static_cast<std::ptrdiff_t>(arrived_);
  const auto lost = std::find_if(first, peers_.end(), [&](Rank peer) {
    return windows_.has_left(peer) && !ticks_.reached(peer, awaited_);
  });
  if (lost != peers_.end()) return transfer_with(*lost);
  return transfer_with(first == peers_.end() ? peers_.back() : *first);
}

// The message of this step that is waited for, if possible one that should come from the peer.
wire::Transfer TickExecutor::transfer_with(Rank peer) const {
  const plan::Op* found = nullptr;
  for (const plan::Op& op : task_.program.ops) {
    if (op.kind == plan::OpKind::kFold || op.peer != peer) continue;
    const bool better = found == nullptr || (found->step != step_ && op.step == step_) ||
                        (op.step == step_ && op.kind == plan::OpKind::kReceive);
    if (better) found = &op;
  }
  const Rank in_job = windows_.members().job_rank(peer);
  if (found == nullptr)
    return {.peer = in_job, .combine = wire::copy_bytes};  // waited for at the entrance alone
  wire::Transfer transfer{.peer = in_job, .id = found->id, .bytes = task_.bytes(found->slice.count)};
  if (found->kind == plan::OpKind::kReceive) transfer.combine = wire::copy_bytes;
  return transfer;
}

}  // namespace trireme::exec
