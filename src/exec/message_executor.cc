#include "exec/message_executor.h"

#include <algorithm>
#include <utility>

#include "exec/kernels/kernels.h"

namespace trireme::exec {
namespace {

// Up to this size, a message that could also be put aside is added as it arrives, which saves a pass over it.
// A larger one is read in fewer, larger pieces if it is only copied (over TCP), which saves as much.
constexpr std::size_t kMostAddedOnArrival = std::size_t{64} << 10;

}  // namespace

MessageExecutor::MessageExecutor(const Task& task, wire::Wire& wire)
    : task_(task),
      wire_(wire),
      combine_(combine_kernel(task.type, task.reduction)),
      placement_(task),
      room_(task.bytes(task.program.room_elements)),
      trace_(empty_trace(task.program)) {
  prepare_steps();
  if (wire.size() > 1) windows_ = wire.windows();
}

void MessageExecutor::prepare_steps() {
  const std::vector<plan::Op>& ops = task_.program.ops;
  std::size_t most_sources = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (i == 0 || ops[i].step != ops[i - 1].step) steps_.push_back({.messages = i, .folds = i, .end = i});
    steps_.back().end = i + 1;
    if (ops[i].kind == plan::OpKind::kFold) {
      most_sources = std::max(most_sources, idx(ops[i].source_count));
    } else {
      steps_.back().folds = i + 1;
    }
  }
  sources_.resize(most_sources);
  for (Step& step : steps_) {
    step.adds_up_on_arrival = can_add_up_on_arrival(step);
    step.arrives_in_place = can_arrive_in_place(step);
  }
}

// The receive of a step with one fold, all of which it is for, and whose place is not being sent; else null.
const plan::Op* MessageExecutor::only_addend(const Step& step) const {
  const std::vector<plan::Op>& ops = task_.program.ops;
  const std::span messages = std::span(ops).subspan(step.messages, step.folds - step.messages);
  const auto is_receive = [](const plan::Op& op) { return op.kind == plan::OpKind::kReceive; };
  if (step.end != step.folds + 1 || std::ranges::count_if(messages, is_receive) != 1) return nullptr;
  const plan::Op& fold = ops[step.folds];
  const plan::Op& receive = *std::ranges::find_if(messages, is_receive);
  if (!plan::goes_to_room(receive.action) || receive.slice != fold.slice) return nullptr;
  const auto is_being_sent = [&](const plan::Op& op) {
    return !is_receive(op) && plan::overlap(op.slice, fold.slice);
  };
  return std::ranges::any_of(messages, is_being_sent) ? nullptr : &receive;
}

bool MessageExecutor::can_arrive_in_place(const Step& step) const {
  const plan::Op* receive = only_addend(step);
  if (receive == nullptr) return false;
  const plan::Op& fold = task_.program.ops[step.folds];
  return fold.source_count == 1 && task_.program.sources[idx(fold.room)].room == receive->room;
}

bool MessageExecutor::can_add_up_on_arrival(const Step& step) const {
  const plan::Op* only = only_addend(step);
  if (only == nullptr) return false;
  const plan::Op& receive = *only;
  const plan::Op& fold = task_.program.ops[step.folds];
  if (fold.source_count != 2 || task_.bytes(fold.slice.count) > kMostAddedOnArrival) return false;
  // The order of two matters as well: the sum of two NaNs is the first one.
  bool own_comes_first = true;
  for_each_order(task_, fold, fold.slice, [&](const plan::Slice&, std::int64_t first) {
    const plan::Source* sources = &task_.program.sources[idx(fold.room)];
    own_comes_first = own_comes_first && sources[first % 2].room == plan::Source::kOwn &&
                      sources[(first + 1) % 2].room == receive.room;
  });
  return own_comes_first;
}

void MessageExecutor::begin(const Buffers& buffers) {
  placement_.begin(buffers);
  current_ = 0;
  batch_ = {};
  watch_.restart();
  at_ = windows_ == nullptr ? At::kInside : At::kBefore;
  if (at_ == At::kInside) return post(0);
  if (windows_->entrance().is_open()) go_on();
}

// Who has to be there for it is there.
void MessageExecutor::go_on() {
  if (at_ == At::kEntrance) {
    at_ = At::kInside;
    return post(watch_.picoseconds());
  }
  at_ = At::kEntrance;
  windows_->ticks().raise(windows_->entrance().come(task_.signature));
}

bool MessageExecutor::go_through(bool moves) {
  while (at_ != At::kInside) {
    wire::shm::Attendance attendance(*windows_, lacking());
    if (!attendance.arrived()) windows_->require_present(attendance);
    if (!attendance.arrived()) return false;
    go_on();
  }
  while (current_ < steps_.size()) {
    if (moves && !batch_.complete()) wire_.progress();
    if (!batch_.complete()) return false;
    complete();
  }
  placement_.end();
  return true;
}

void MessageExecutor::finish(const Deadline& deadline) {
  while (at_ != At::kInside) {
    wire::shm::Attendance attendance(*windows_, lacking());
    windows_->wait(attendance, deadline);
    go_on();
  }
  while (current_ < steps_.size()) {
    wire_.wait(batch_, deadline);
    complete();
  }
  placement_.end();
}

wire::Transfer MessageExecutor::lacks() const {
  if (at_ != At::kInside) return wire::shm::Attendance(*windows_, lacking()).missing(windows_->roster());
  if (current_ == steps_.size()) return {.peer = wire_.members().job_rank(wire_.rank())};
  const Step& step = steps_[current_];
  const plan::Op* found = nullptr;
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    const plan::Op& op = task_.program.ops[i];
    if (found == nullptr || op.kind == plan::OpKind::kReceive) found = &op;
  }
  if (found == nullptr) return {.peer = wire_.members().job_rank(wire_.rank())};
  wire::Transfer transfer{.peer = wire_.members().job_rank(found->peer),
                          .id = task_.id_on_wire(found->id),
                          .bytes = task_.bytes(found->slice.count)};
  if (found->kind == plan::OpKind::kReceive) transfer.combine = wire::copy_bytes;
  return transfer;
}

std::int32_t MessageExecutor::step() const {
  if (steps_.empty()) return 0;
  return task_.program.ops[steps_[std::min(current_, steps_.size() - 1)].messages].step;
}

void MessageExecutor::post(std::int64_t now_ps) {
  if (current_ == steps_.size()) return;
  const Step& step = steps_[current_];
  posted_ps_ = now_ps;
  const std::vector<plan::Op>& ops = task_.program.ops;
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    if (ops[i].kind == plan::OpKind::kReceive) post_receive(i, step);
  }
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    if (ops[i].kind != plan::OpKind::kSend) continue;
    wire_.post_send(batch_, ops[i].peer, task_.id_on_wire(ops[i].id),
                    {placement_.at(i), task_.bytes(ops[i].slice.count)});
  }
}

void MessageExecutor::post_receive(std::size_t at, const Step& step) {
  const plan::Op& op = task_.program.ops[at];
  const bool add = step.adds_up_on_arrival;
  const bool to_room = plan::goes_to_room(op.action) && !add && !step.arrives_in_place;
  std::byte* into = to_room ? room_.data() + task_.bytes(op.room) : placement_.at(at);
  wire_.post_receive(batch_, op.peer, task_.id_on_wire(op.id), {into, task_.bytes(op.slice.count)},
                     add || op.action == plan::Action::kAdd ? combine_ : wire::copy_bytes);
}

// All messages of the step are there: its local ops follow, then the next step.
void MessageExecutor::complete() {
  const Step& step = steps_[current_];
  std::int64_t now = watch_.picoseconds();
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    trace_.events[i].start_ps = posted_ps_;
    trace_.events[i].end_ps = now;
    complete_sum(i);
  }
  for (std::size_t i = step.folds; i < step.end; ++i) {
    trace_.events[i].start_ps = now;
    if (step.adds_up_on_arrival || step.arrives_in_place) {
      complete_sum(i);
    } else {
      run_fold(i);
    }
    trace_.events[i].end_ps = now = watch_.picoseconds();
  }
  ++current_;
  post(now);
}

// The sum of the op's slice lies in its place, where the op completes it.
void MessageExecutor::complete_sum(std::size_t at) {
  const plan::Op& op = task_.program.ops[at];
  const std::int64_t divisor = divisor_of(task_, op);
  if (divisor != 1) divide(task_.type, placement_.at(at), op.slice.count, divisor);
}

void MessageExecutor::run_fold(std::size_t at) {
  const plan::Op& op = task_.program.ops[at];
  for_each_order(task_, op, op.slice, [&](const plan::Slice& piece, std::int64_t first_source) {
    const std::int64_t skipped = piece.first - op.slice.first;
    std::byte* into = placement_.at(at) + task_.bytes(skipped);
    for (std::int64_t i = 0; i < op.source_count; ++i) {
      const plan::Source& source = task_.program.sources[idx(op.room + (first_source + i) % op.source_count)];
      sources_[idx(i)] =
          source.room == plan::Source::kOwn ? into : room_.data() + task_.bytes(source.room + skipped);
    }
    fold(task_.type, task_.reduction, {&into, 1}, std::span(sources_).first(idx(op.source_count)),
         piece.count, divisor_of(task_, op));
  });
}

}  // namespace trireme::exec
