#include "exec/all_to_all_executor.h"

#include <algorithm>

#include "exec/kernels/kernels.h"

namespace trireme::exec {

bool AllToAllExecutor::fits(const plan::PlanSpec& spec) { return spec.strategy == plan::Strategy::kAllToAll; }

AllToAllExecutor::AllToAllExecutor(const Task& task, wire::shm::Windows& windows)
    : TickExecutor(task, windows),
      block_elements_(static_cast<std::int64_t>(wire::shm::Windows::stage_bytes()) / task.element_size),
      blocks_((task.spec.parameters + block_elements_ - 1) / block_elements_),
      room_(blocks_ > 1 ? 2 * wire::shm::Windows::stage_bytes() : 0) {
  for (const plan::Op& op : task.program.ops) {
    if (op.kind == plan::OpKind::kFold) fold_ = op;
  }
  if (fold_) sources_.resize(idx(fold_->source_count));
}

void AllToAllExecutor::begin(const Buffers& buffers) {
  watch_.restart();
  if (is_empty()) return meet();
  buffer_ = buffers.into.data();
  window_ = blocks_ > 1 ? windows_.find(buffers.into) : std::nullopt;  // one block is as quickly copied
  entered_ = false;
  added_ = stored_ = 0;
  pulled_ = brought_ = 0;
  const auto blocks = static_cast<std::uint64_t>(blocks_);
  open({.ticks = window_ ? blocks + 1 : blocks,
        .place = window_ ? window_->offset : 0,
        .is_staged = !window_ && !is_few()});
}

void AllToAllExecutor::bring_first() {
  if (!window_) bring(0);
}

bool AllToAllExecutor::go_on() { return window_ ? go_on_in_window() : go_on_staged(); }

bool AllToAllExecutor::go_on_staged() {
  add_up(added_, shared_block(added_), block(added_).first, own_block(added_));
  if (++added_ == blocks_) return false;
  bring(added_);
  raise(static_cast<std::uint64_t>(added_));
  stop_at(static_cast<std::uint64_t>(added_), 0);
  return true;
}

// Adds up one block ahead of the one whose storing has to wait for the others.
bool AllToAllExecutor::go_on_in_window() {
  const auto room_for = [&](std::int64_t number) {
    return room_.data() + idx(number % 2) * wire::shm::Windows::stage_bytes();
  };
  if (entered_) {
    wire::copy_bytes(own_block(stored_), room_for(stored_), task_.bytes(block(stored_).count));
    ++stored_;
  }
  entered_ = true;
  for (; added_ < std::min(blocks_, stored_ + 2); ++added_) {
    add_up(added_, *window_, 0, room_for(added_));
    require_peers_here();
    note().moved = pulled_;
    raise(static_cast<std::uint64_t>(added_) + 1);
  }
  if (stored_ == blocks_) return false;
  stop_at(static_cast<std::uint64_t>(stored_) + 1, 0);
  return true;
}

bool AllToAllExecutor::is_few() const {
  return task_.bytes(task_.spec.parameters) <= sizeof(wire::shm::TickLine::Note::few_bytes);
}

wire::shm::Place AllToAllExecutor::shared_block(std::int64_t number) const {
  return is_few() ? few_bytes() : stage_at(number);
}

plan::Slice AllToAllExecutor::block(std::int64_t number) const {
  const std::int64_t first = number * block_elements_;
  return {first, std::min(block_elements_, task_.spec.parameters - first)};
}

std::byte* AllToAllExecutor::own_block(std::int64_t number) const {
  return buffer_ + task_.bytes(block(number).first);
}

void AllToAllExecutor::bring(std::int64_t number) {
  const std::size_t bytes = task_.bytes(block(number).count);
  wire::copy_bytes(shared_block(number).at(task_.program.node), own_block(number), bytes);
  brought_ += bytes;
}

void AllToAllExecutor::add_up(std::int64_t number, const wire::shm::Place& place, std::int64_t skipped,
                              std::byte* into) {
  const plan::Slice whole = block(number);
  for_each_order(task_, *fold_, whole, [&](const plan::Slice& piece, std::int64_t first_source) {
    for (std::int64_t i = 0; i < fold_->source_count; ++i) {
      const plan::Source& source =
          task_.program.sources[idx(fold_->room + (first_source + i) % fold_->source_count)];
      sources_[idx(i)] = source.room == plan::Source::kOwn
                             ? buffer_ + task_.bytes(piece.first)
                             : place.at(source.rank) + task_.bytes(piece.first - skipped);
    }
    std::byte* sum = into + task_.bytes(piece.first - whole.first);
    fold(task_.type, task_.reduction, {&sum, 1}, sources_, piece.count, divisor_of(task_, *fold_));
  });
  pulled_ += task_.bytes(whole.count);
}

// In a window, the others say what they have read; in the stage, a block has been received once it is there.
wire::Counters AllToAllExecutor::moved() const {
  const auto others = static_cast<std::int64_t>(peers().size());
  wire::Counters counters{.sent_messages = others,
                          .sent_bytes = others * static_cast<std::int64_t>(brought_),
                          .received_messages = others,
                          .received_bytes = others * static_cast<std::int64_t>(pulled_)};
  if (!window_) return counters;
  counters.sent_bytes = 0;
  for (const Rank peer : peers()) counters.sent_bytes += static_cast<std::int64_t>(note_of(peer).moved);
  return counters;
}

}  // namespace trireme::exec
