#include "exec/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "exec/kernels.h"
#include "plan/count.h"
#include "plan/words.h"

namespace trireme {
namespace {

using Clock = Deadline::Clock;

PlanSpec checked(const PlanSpec& spec, const Wire& wire) {
  check(spec);
  if (wire.size() != spec.nodes()) {
    throw bad_input(fmt::format("the plan is for {} nodes, the wire has {}", spec.nodes(), wire.size()));
  }
  if (spec.parameters > PlanSpec::kMaxElements) {
    throw bad_input(fmt::format("{} parameters are more than any memory holds", spec.parameters));
  }
  return spec;
}

Counters in_bytes(const NodeTally& tally, std::int64_t element_size) {
  return {.sent_messages = tally.sent_messages,
          .sent_bytes = tally.sent_elements * element_size,
          .received_messages = tally.received_messages,
          .received_bytes = tally.received_elements * element_size};
}

std::string in_words(const Counters& counters) {
  return fmt::format("{} messages of {} bytes sent and {} of {} received", counters.sent_messages,
                     counters.sent_bytes, counters.received_messages, counters.received_bytes);
}

std::int64_t picoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count() * 1000;
}

}  // namespace

Runner::Runner(const PlanSpec& spec, ElementType type, Wire& wire, Result result)
    : spec_(checked(spec, wire)),
      type_(type),
      element_size_(size_of(type)),
      result_(result),
      program_(make_program(spec, wire.rank())),
      tally_(in_bytes(count(program_), element_size_)),
      add_(add_kernel(type)),
      wire_(wire),
      room_(static_cast<std::byte*>(::operator new[](bytes(program_.room_elements), kRoomAlignment))) {
  if (result == Result::kAverage && is_integer(type)) {
    throw bad_input(fmt::format("{} has sums but no averages", name(type)),
                    "ask for the sum, or use a float type");
  }
  prepare_steps();
  trace_.node = program_.node;
  trace_.events.resize(program_.ops.size());
  for (std::size_t i = 0; i < program_.ops.size(); ++i) trace_.events[i].id = program_.ops[i].id;
}

void Runner::prepare_steps() {
  const std::vector<Op>& ops = program_.ops;
  std::size_t most_sources = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (i == 0 || ops[i].step != ops[i - 1].step) steps_.push_back({.messages = i, .folds = i, .end = i});
    steps_.back().end = i + 1;
    if (ops[i].kind == OpKind::kFold) {
      most_sources = std::max(most_sources, static_cast<std::size_t>(ops[i].source_count));
    } else {
      steps_.back().folds = i + 1;
    }
  }
  sources_.resize(most_sources);
}

const Trace& Runner::run(std::span<std::byte> buffer, const Deadline& deadline) {
  Batch batch;
  current_step_ = 0;
  try {
    check_size(buffer);
    const Counters before = wire_.counters();
    start_ = Clock::now();
    for (; current_step_ < steps_.size(); ++current_step_) {
      run_step(steps_[current_step_], buffer.data(), batch, deadline);
    }
    check_counters(before);
  } catch (const Error& error) {
    const Failure failure = complete(error.failure(), deadline);
    wire_.leave(failure);
    throw Error(failure);
  } catch (...) {
    Failure failure;
    failure.cause = Failure::Cause::kPeerLost;
    failure.what = "an unexpected exception ended the exchange";
    wire_.leave(complete(std::move(failure), deadline));
    throw;
  }
  return trace_;
}

void Runner::run_step(const Step& step, std::byte* buffer, Batch& batch, const Deadline& deadline) {
  const std::int64_t posted = picoseconds_since(start_);
  post_receives(step, buffer, batch);
  post_sends(step, buffer, batch);
  wire_.wait(batch, deadline);
  std::int64_t now = picoseconds_since(start_);
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    trace_.events[i].start_ps = posted;
    trace_.events[i].end_ps = now;
    divide_if_average(program_.ops[i], program_.ops[i].slice, buffer);
  }
  for (std::size_t i = step.folds; i < step.end; ++i) {
    trace_.events[i].start_ps = now;
    run_fold(program_.ops[i], buffer);
    trace_.events[i].end_ps = now = picoseconds_since(start_);
  }
}

void Runner::post_receives(const Step& step, std::byte* buffer, Batch& batch) {
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    const Op& op = program_.ops[i];
    if (op.kind != OpKind::kReceive) continue;
    std::byte* into = goes_to_room(op.action) ? room_.get() + bytes(op.room) : buffer + bytes(op.slice.first);
    wire_.post_receive(batch, op.peer, op.id, {into, bytes(op.slice.count)},
                       op.action == Action::kAdd ? add_ : copy_bytes);
  }
}

void Runner::post_sends(const Step& step, const std::byte* buffer, Batch& batch) {
  for (std::size_t i = step.messages; i < step.folds; ++i) {
    const Op& op = program_.ops[i];
    if (op.kind != OpKind::kSend) continue;
    wire_.post_send(batch, op.peer, op.id, {buffer + bytes(op.slice.first), bytes(op.slice.count)});
  }
}

void Runner::run_fold(const Op& op, std::byte* buffer) {
  if (!op.by_chunk) return fold_piece(op, op.slice, 0, buffer);
  for (Slice rest = op.slice; !rest.empty();) {
    const std::int64_t k = chunk_of(rest.first, spec_.parameters, spec_.workers);
    const std::int64_t end = std::min(chunk(k, spec_.parameters, spec_.workers).end(), rest.end());
    fold_piece(op, {rest.first, end - rest.first}, k, buffer);
    rest = {end, rest.end() - end};
  }
}

void Runner::fold_piece(const Op& op, const Slice& piece, std::int64_t first_source, std::byte* buffer) {
  std::byte* into = buffer + bytes(piece.first);
  const std::int64_t skipped = piece.first - op.slice.first;
  for (std::int64_t i = 0; i < op.source_count; ++i) {
    const Source& source = program_.sources[idx(op.room + (first_source + i) % op.source_count)];
    sources_[idx(i)] = source.room == Source::kOwn ? into : room_.get() + bytes(source.room + skipped);
  }
  fold(type_, into, std::span(sources_).first(idx(op.source_count)), piece.count);
  divide_if_average(op, piece, buffer);
}

void Runner::divide_if_average(const Op& op, const Slice& slice, std::byte* buffer) const {
  if (!op.completes || result_ != Result::kAverage) return;
  divide(type_, buffer + bytes(slice.first), slice.count, spec_.workers);
}

void Runner::check_size(std::span<const std::byte> buffer) const {
  if (buffer.size() == bytes(spec_.parameters)) return;
  throw bad_input(fmt::format("the buffer has {} bytes, but {} elements of {} take {}", buffer.size(),
                              spec_.parameters, name(type_), bytes(spec_.parameters)));
}

void Runner::check_counters(const Counters& before) const {
  const Counters after = wire_.counters();
  const Counters grown = {.sent_messages = after.sent_messages - before.sent_messages,
                          .sent_bytes = after.sent_bytes - before.sent_bytes,
                          .received_messages = after.received_messages - before.received_messages,
                          .received_bytes = after.received_bytes - before.received_bytes};
  if (grown == tally_) return;
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = fmt::format("the plan says {}, the wire counted {}", in_words(tally_), in_words(grown));
  failure.hint = "let nothing else use this wire during an exchange; else this is a bug of Trireme";
  throw Error(std::move(failure));
}

Failure Runner::complete(Failure failure, const Deadline& deadline) const {
  if (!failure.rank) failure.rank = program_.node;
  if (failure.op.empty()) failure.op = op_in_words(failure);
  if (!failure.elapsed) failure.elapsed = deadline.elapsed();
  if (failure.hint.empty()) failure.hint = "look at the output of the other nodes";
  return failure;
}

std::string Runner::op_in_words(const Failure& failure) const {
  const auto op = std::find_if(program_.ops.begin(), program_.ops.end(),
                               [&](const Op& o) { return o.id == failure.op_id; });
  if (op != program_.ops.end()) return say(spec_, *op);
  if (current_step_ == steps_.size()) return fmt::format("after {}", name(spec_.strategy));
  return fmt::format("step {} of {}", program_.ops[steps_[current_step_].messages].step + 1,
                     name(spec_.strategy));
}

}  // namespace trireme
