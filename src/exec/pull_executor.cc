#include "exec/pull_executor.h"

#include <algorithm>
#include <utility>

#include "exec/kernels/kernels.h"
#include "plan/holdings.h"

namespace trireme::exec {
namespace {

using plan::Operation;
using wire::shm::Windows;

constexpr std::size_t kLine = 64;
constexpr std::size_t kFewBytes = sizeof(wire::shm::TickLine::Note::few_bytes);

bool every_slice_is_another(Operation operation) {
  return operation == Operation::kScatter || operation == Operation::kReduceScatter ||
         operation == Operation::kAllToAll;
}

// The last chunk is the longest. All nodes take the same, even those that have nothing to do.
std::int64_t longest_slice(const plan::PlanSpec& spec) {
  if (spec.operation == Operation::kBroadcast) return spec.parameters;
  return plan::chunk(spec.workers - 1, spec.parameters, spec.workers).count;
}

std::int64_t in_pieces(std::int64_t elements, std::int64_t of) { return (elements + of - 1) / of; }

}  // namespace

bool PullExecutor::fits(const plan::PlanSpec& spec) {
  if (spec.operation == Operation::kSum) return false;
  const auto one_step =
      spec.operation == Operation::kBroadcast ? plan::Strategy::kStar : plan::Strategy::kDirect;
  return spec.strategy == one_step;
}

PullExecutor::PullExecutor(const Task& task, Windows& windows)
    : TickExecutor(task, windows),
      placement_(task),
      has_slots_(every_slice_is_another(task.spec.operation)),
      longest_(longest_slice(task.spec)),
      few_(task.bytes(longest_) * (has_slots_ ? idx(task.spec.workers) : 1) <= kFewBytes),
      slot_bytes_(few_         ? task.bytes(longest_)
                  : has_slots_ ? Windows::stage_bytes() / idx(task.spec.workers) / kLine * kLine
                               : Windows::stage_bytes()),
      piece_elements_(std::max<std::int64_t>(static_cast<std::int64_t>(slot_bytes_) / task.element_size, 1)),
      pieces_(in_pieces(longest_, piece_elements_)) {
  const std::vector<plan::Op>& ops = task.program.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind == plan::OpKind::kSend) gives_.push_back({i, ops[i].peer, ops[i].slice});
    if (ops[i].kind == plan::OpKind::kFold) fold_ = i;
    if (ops[i].kind != plan::OpKind::kReceive) continue;
    // What a sender brings is one range of elements.
    const plan::Slice brought = plan::holdings(task.spec, ops[i].peer).before.front();
    gets_.push_back(
        {.op = i, .from = ops[i].peer, .slice = ops[i].slice, .at = ops[i].slice.first - brought.first});
  }
  if (fold_) sources_.resize(idx(ops[*fold_].source_count));
}

void PullExecutor::begin(const Buffers& buffers) {
  watch_.restart();
  placement_.begin(buffers);
  if (is_empty()) return meet();
  std::optional<wire::shm::Place> window;
  if (pieces_ > 1 && !gives_.empty()) window = windows_.find(buffers.from);  // one piece is as quickly copied
  in_window_ = window.has_value();
  place_ = window ? window->offset + idx(windows_.rank()) * window->stride : 0;
  leaving_ = false;
  brought_ = piece_ = 0;
  // One tick after those of the pieces: this node has read all that it reads in windows. And one more, so
  // that the next exchange begins with the other half of the stage: others may still read the last piece.
  // Where there are several, the second takes the half of the stage that the exchange before may have used.
  open({.ticks = static_cast<std::uint64_t>(pieces_) + 2,
        .is_staged = !few_,
        .await = pieces_ > 1 ? Await::kAll : Await::kSenders});
}

void PullExecutor::bring_first() {
  note().place = place_;
  bring(0);
}

// All are there, and have said where their buffers lie; one piece lies in no window.
void PullExecutor::enter() {
  closes_ = in_window_;
  needs_stages_ = !gives_.empty() && !in_window_;
  if (pieces_ == 1) return;
  for (const Rank peer : peers()) closes_ |= note_of(peer).place != 0;
  for (Get& get : gets_) {
    const std::uint64_t place = note_of(get.from).place;
    get.window =
        place == 0 ? nullptr : window_of(get.from, place + task_.bytes(get.at), task_.bytes(get.slice.count));
    needs_stages_ |= get.window == nullptr;
  }
}

bool PullExecutor::go_on() {
  if (leaving_) return false;
  if (piece_ == 0) enter();
  do {
    take(piece_++);
  } while (!needs_stages_ && piece_ < pieces_);
  if (piece_ < pieces_) {
    bring(piece_);
    raise(static_cast<std::uint64_t>(piece_));
    stop_at(static_cast<std::uint64_t>(piece_), 0);
    return true;
  }
  for (const Get& get : gets_) {
    if (get.window != nullptr) require_here(get.from);
  }
  note().moved = static_cast<std::uint64_t>(piece_);
  if (closes_) raise(static_cast<std::uint64_t>(pieces_));
  if (!in_window_) return false;
  leaving_ = true;
  stop_at(static_cast<std::uint64_t>(pieces_), 0);
  return true;
}

void PullExecutor::bring(std::int64_t piece) {
  if (gives_.empty() || in_window_) return;
  brought_ = piece + 1;
  std::byte* const stage = shared(piece).at(windows_.rank());
  for (const Give& give : gives_) {
    const plan::Slice brought = part(give.slice, piece);
    wire::copy_bytes(stage + slot(give.to),
                     placement_.at(give.op) + task_.bytes(brought.first - give.slice.first),
                     task_.bytes(brought.count));
    if (!has_slots_) return;  // the same slice for all
  }
}

void PullExecutor::take(std::int64_t piece) {
  if (fold_) return add_up(piece);
  for (const Get& get : gets_) {
    const plan::Slice taken = part(get.slice, piece);
    if (taken.empty()) continue;
    wire::copy_bytes(placement_.at(get.op) + task_.bytes(taken.first - get.slice.first), source(get, piece),
                     task_.bytes(taken.count));
  }
}

// The sources of the fold are the contributions of all, each of the same slice.
void PullExecutor::add_up(std::int64_t piece) {
  const plan::Op& fold_op = task_.program.ops[*fold_];
  const plan::Slice whole = part(fold_op.slice, piece);
  if (whole.empty()) return;
  for_each_order(task_, fold_op, whole, [&](const plan::Slice& slice, std::int64_t first_source) {
    std::byte* into = placement_.at(*fold_) + task_.bytes(slice.first - fold_op.slice.first);
    for (std::int64_t i = 0; i < fold_op.source_count; ++i) {
      const plan::Source& summand =
          task_.program.sources[idx(fold_op.room + (first_source + i) % fold_op.source_count)];
      if (summand.room == plan::Source::kOwn) {
        sources_[idx(i)] = into;
        continue;
      }
      const auto get = std::ranges::find_if(gets_, [&](const Get& one) { return one.from == summand.rank; });
      sources_[idx(i)] = source(*get, piece) + task_.bytes(slice.first - whole.first);
    }
    fold(task_.type, task_.reduction, {&into, 1}, sources_, slice.count, divisor_of(task_, fold_op));
  });
}

// The part of a slice that travels in this piece.
plan::Slice PullExecutor::part(const plan::Slice& slice, std::int64_t piece) const {
  const std::int64_t first = elements_up_to(slice, piece);
  return {slice.first + first, elements_up_to(slice, piece + 1) - first};
}

std::int64_t PullExecutor::elements_up_to(const plan::Slice& slice, std::int64_t pieces) const {
  return std::min(pieces * piece_elements_, slice.count);
}

wire::shm::Place PullExecutor::shared(std::int64_t piece) const {
  return few_ ? few_bytes() : stage_at(piece);
}

std::size_t PullExecutor::slot(Rank receiver) const { return has_slots_ ? idx(receiver) * slot_bytes_ : 0; }

const std::byte* PullExecutor::source(const Get& get, std::int64_t piece) const {
  if (get.window != nullptr) return get.window + task_.bytes(elements_up_to(get.slice, piece));
  return shared(piece).at(get.from) + slot(windows_.rank());
}

// Of a node whose window is read, the others say what they have read; a staged piece has been sent once it
// is there.
wire::Counters PullExecutor::moved() const {
  wire::Counters counters;
  const auto bytes_of = [&](const plan::Slice& slice, std::int64_t pieces) {
    return static_cast<std::int64_t>(task_.bytes(elements_up_to(slice, pieces)));
  };
  for (const Get& get : gets_) {
    ++counters.received_messages;
    counters.received_bytes += bytes_of(get.slice, piece_);
  }
  for (const Give& give : gives_) {
    ++counters.sent_messages;
    const auto pieces = in_window_ ? static_cast<std::int64_t>(note_of(give.to).moved) : brought_;
    counters.sent_bytes += bytes_of(give.slice, pieces);
  }
  return counters;
}

}  // namespace trireme::exec
