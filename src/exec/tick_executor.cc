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
      entrance_(windows.entrance()),
      signature_(task.signature),
      trace_(empty_trace(task.program)) {
  for (const plan::Op& op : task.program.ops) {
    if (op.kind != plan::OpKind::kFold) peers_.push_back(op.peer);
    if (op.kind == plan::OpKind::kReceive) senders_.push_back(op.peer);
  }
  for (std::vector<Rank>* ranks : {&peers_, &senders_}) {
    std::ranges::sort(*ranks);
    ranks->erase(std::unique(ranks->begin(), ranks->end()), ranks->end());
  }
}

void TickExecutor::open(const Opening& opening) {
  opening_ = opening;
  if (idx(windows_.nodes()) == senders_.size() + 1) opening_.await = Await::kAll;
  signature_.put_at(opening.place);
  at_ = At::kBefore;
  step_ = 0;
  if (may_come()) come();
}

// The half of the stage that comes next was used in the call before the last.
bool TickExecutor::may_come() { return opening_.is_staged ? entrance_.attended() : entrance_.is_open(); }

void TickExecutor::come() {
  first_tick_ = entrance_.come(signature_, opening_.ticks);
  at_ = At::kEntrance;
  if (!is_empty()) bring_first();
  raise(0);
  stop_at(0, step_);
  awaited_ = &senders_;
}

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
  open({});
}

void TickExecutor::stop_at(std::uint64_t tick, std::int32_t step) {
  awaited_ = &peers_;
  awaited_tick_ = first_tick_ + tick;
  arrived_ = 0;
  step_ = step;
}

bool TickExecutor::advance() {
  while (at_ != At::kThrough) {
    if (!arrived()) {
      windows_.require_present(*this);
      if (!arrived()) return false;
    }
    pass();
  }
  return true;
}

void TickExecutor::finish(const Deadline& deadline) {
  while (at_ != At::kThrough) {
    windows_.wait(*this, deadline);
    pass();
  }
}

void TickExecutor::pass() {
  if (at_ == At::kBefore) return come();
  at_ = At::kInside;
  if (!is_empty() && go_on()) return;
  at_ = At::kThrough;
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
  if (at_ == At::kBefore) return may_come();
  if (awaits_all()) return entrance_.attended();
  while (arrived_ < awaited_->size() && ticks_.reached((*awaited_)[arrived_], awaited_tick_)) ++arrived_;
  if (arrived_ < awaited_->size()) return false;
  if (at_ == At::kInside) return true;
  if (std::ranges::all_of(senders_, [&](Rank sender) { return entrance_.is_same(sender); })) return true;
  opening_.await = Await::kAll;  // to learn who called what
  return entrance_.attended();
}

wire::Transfer TickExecutor::missing(const wire::Roster& /*roster*/) const {
  if (awaits_all()) return transfer_with(entrance_.missing_node());
  const auto first = awaited_->begin() + static_cast<std::ptrdiff_t>(arrived_);
  const auto lost = std::find_if(first, awaited_->end(), [&](Rank peer) {
    return windows_.has_left(peer) && !ticks_.reached(peer, awaited_tick_);
  });
  if (lost != awaited_->end()) return transfer_with(*lost);
  return transfer_with(first == awaited_->end() ? awaited_->back() : *first);
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
