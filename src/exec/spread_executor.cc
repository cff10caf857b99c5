#include "exec/spread_executor.h"

#include <algorithm>
#include <cassert>

#include "exec/kernels/kernels.h"

namespace trireme::exec {
namespace {

constexpr std::int32_t kReduce = 0;
constexpr std::int32_t kShare = 1;

// The elements of each chunk that fit in half a stage, in whole cache lines so that owners do not share one.
std::int64_t staged_elements(const Task& task) {
  constexpr std::int64_t kLine = 64;
  const auto bytes = static_cast<std::int64_t>(wire::shm::Windows::stage_bytes()) / task.spec.workers;
  return bytes / kLine * kLine / task.element_size;
}

}  // namespace

bool SpreadExecutor::fits(const plan::PlanSpec& spec) {
  return spec.operation == plan::Operation::kSum &&
         (spec.strategy == plan::Strategy::kDirect || spec.strategy == plan::Strategy::kParameterServer);
}

SpreadExecutor::SpreadExecutor(const Task& task, wire::shm::Windows& windows)
    : TickExecutor(task, windows), piece_elements_(staged_elements(task)) {
  for (const plan::Op& op : task.program.ops) {
    if (op.kind == plan::OpKind::kFold) {
      assert(!fold_);
      fold_ = op;
      owned_ = op.slice;
    } else if (op.kind == plan::OpKind::kSend) {
      if (op.step == kReduce) gives_.push_back(op);
      if (op.step == kShare) {
        targets_.push_back(op.peer);
        owned_ = op.slice;
      }
    } else if (op.step == kShare) {
      gets_.push_back(op);
    }
  }
  if (fold_) sources_.resize(idx(fold_->source_count));
  into_.resize(1 + targets_.size());
}

void SpreadExecutor::leave_in_place() {
  const bool holds = fold_ || !targets_.empty();
  in_place_ = holds && task_.spec.workers == 1;
}

void SpreadExecutor::begin(const Buffers& buffers) {
  watch_.restart();
  if (is_empty()) return meet();
  buffer_ = buffers.into.data();
  window_ = windows_.find(buffers.into);
  if (is_in_place()) buffer_ = window_->at(0);
  const plan::Slice longest = plan::chunk(task_.spec.workers - 1, task_.spec.parameters, task_.spec.workers);
  pieces_ = window_ ? 1 : (longest.count + piece_elements_ - 1) / piece_elements_;
  piece_ = 0;
  leaving_ = false;
  moved_ = 0;
  open({.ticks = 2 * static_cast<std::uint64_t>(pieces_),
        .place = window_ ? window_->offset : 0,
        .is_staged = !window_});
}

bool SpreadExecutor::go_on() {
  const auto tick = 2 * static_cast<std::uint64_t>(piece_);
  if (!leaving_) {
    work();
    if (window_) require_peers_here();
    note().moved = moved_;
    raise(tick + 1);
    if (piece_ + 1 < pieces_) {  // while the others still work
      bring(piece_ + 1);
      raise(tick + 2);
    }
    stop_at(tick + 1, kShare);
    leaving_ = true;
    return true;
  }
  take();
  if (++piece_ == pieces_) return false;
  stop_at(tick + 2, kReduce);
  leaving_ = false;
  return true;
}

wire::shm::Place SpreadExecutor::place_of(std::int64_t piece) const {
  return window_ ? *window_ : stage_at(piece);
}

template <typename Body>
void SpreadExecutor::for_each_part(const plan::Slice& slice, std::int64_t piece, Body body) const {
  if (window_) return body(Part{slice, slice.first});
  const std::int64_t p = task_.spec.parameters;
  const std::int64_t n = task_.spec.workers;
  for (std::int64_t done = slice.first; done < slice.end();) {
    const std::int64_t k = plan::chunk_of(done, p, n);
    const plan::Slice whole = plan::chunk(k, p, n);
    const std::int64_t begin = whole.first + piece * piece_elements_;
    const std::int64_t first = std::max(begin, slice.first);
    const std::int64_t end = std::min({begin + piece_elements_, whole.end(), slice.end()});
    if (first < end) body(Part{{first, end - first}, k * piece_elements_ + (first - begin)});
    done = whole.end();
  }
}

void SpreadExecutor::bring(std::int64_t piece) {
  if (window_) return;
  std::byte* stage = place_of(piece).at(task_.program.node);
  for (const plan::Op& give : gives_) {
    for_each_part(give.slice, piece, [&](const Part& part) {
      wire::copy_bytes(stage + task_.bytes(part.staged), own_at(part.slice.first),
                       task_.bytes(part.slice.count));
    });
  }
}

void SpreadExecutor::take() {
  if (window_) return;
  const std::byte* stage = place_of(piece_).at(task_.program.node);
  for (const plan::Op& get : gets_) {
    for_each_part(get.slice, piece_, [&](const Part& part) {
      wire::copy_bytes(own_at(part.slice.first), stage + task_.bytes(part.staged),
                       task_.bytes(part.slice.count));
    });
  }
}

void SpreadExecutor::work() {
  for_each_part(owned_, piece_, [&](const Part& part) {
    moved_ += task_.bytes(part.slice.count);
    if (is_in_place()) return;
    if (!fold_) return hand_out(part);
    for_each_order(task_, *fold_, part.slice, [&](const plan::Slice& slice, std::int64_t first_source) {
      add_up({slice, part.staged + (slice.first - part.slice.first)}, first_source);
    });
  });
}

void SpreadExecutor::hand_out(const Part& part) {
  const wire::shm::Place place = place_of(piece_);
  for (const Rank target : targets_) {
    wire::copy_bytes(place.at(target) + task_.bytes(part.staged), own_at(part.slice.first),
                     task_.bytes(part.slice.count));
  }
}

// The sum goes from the registers straight into all windows.
void SpreadExecutor::add_up(const Part& part, std::int64_t first_source) {
  const wire::shm::Place place = place_of(piece_);
  const std::size_t shared = task_.bytes(part.staged);
  std::byte* own = own_at(part.slice.first);
  for (std::int64_t i = 0; i < fold_->source_count; ++i) {
    const plan::Source& source =
        task_.program.sources[idx(fold_->room + (first_source + i) % fold_->source_count)];
    sources_[idx(i)] = source.room == plan::Source::kOwn ? own : place.at(source.rank) + shared;
  }
  into_[0] = own;
  for (std::size_t i = 0; i < targets_.size(); ++i) into_[i + 1] = place.at(targets_[i]) + shared;
  fold(task_.type, task_.reduction, into_, sources_, part.slice.count, divisor_of(task_, *fold_));
}

// The others have noted what they did in this node's name.
wire::Counters SpreadExecutor::moved() const {
  wire::Counters counters;
  const auto received = [&](std::uint64_t bytes) {
    ++counters.received_messages;
    counters.received_bytes += static_cast<std::int64_t>(bytes);
  };
  const auto sent = [&](std::uint64_t bytes) {
    ++counters.sent_messages;
    counters.sent_bytes += static_cast<std::int64_t>(bytes);
  };
  for (const plan::Op& give : gives_) sent(note_of(give.peer).moved);
  for (const plan::Op& get : gets_) received(note_of(get.peer).moved);
  for (const Rank target [[maybe_unused]] : targets_) sent(moved_);
  if (!fold_) return counters;
  for (std::int64_t i = 0; i < fold_->source_count; ++i) {
    if (task_.program.sources[idx(fold_->room + i)].room != plan::Source::kOwn) received(moved_);
  }
  return counters;
}

}  // namespace trireme::exec
