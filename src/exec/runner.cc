#include "exec/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "exec/all_to_all_executor.h"
#include "exec/message_executor.h"
#include "exec/pull_executor.h"
#include "exec/spread_executor.h"
#include "plan/count.h"
#include "plan/explain/words.h"
#include "plan/holdings.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "wire/or_leave.h"

namespace trireme::exec {
namespace {

wire::Wire& checked(wire::Wire& wire, const plan::PlanSpec& spec) {
  if (wire.size() == spec.nodes()) return wire;
  throw bad_input(fmt::format("the plan is for {} nodes, the wire has {}", spec.nodes(), wire.size()));
}

wire::Counters in_bytes(const plan::NodeTally& tally, std::int64_t element_size) {
  return {.sent_messages = tally.sent_messages,
          .sent_bytes = tally.sent_elements * element_size,
          .received_messages = tally.received_messages,
          .received_bytes = tally.received_elements * element_size};
}

std::string in_words(const wire::Counters& counters) {
  return fmt::format("{} messages of {} bytes sent and {} of {} received", counters.sent_messages,
                     counters.sent_bytes, counters.received_messages, counters.received_bytes);
}

std::unique_ptr<Executor> executor_for(const Task& task, wire::Wire& wire) {
  wire::shm::Windows* windows = wire.windows();
  if (windows != nullptr && AllToAllExecutor::fits(task.spec)) {
    return std::make_unique<AllToAllExecutor>(task, *windows);
  }
  if (windows != nullptr && SpreadExecutor::fits(task.spec)) {
    return std::make_unique<SpreadExecutor>(task, *windows);
  }
  if (windows != nullptr && PullExecutor::fits(task.spec)) {
    return std::make_unique<PullExecutor>(task, *windows);
  }
  return std::make_unique<MessageExecutor>(task, wire);
}

}  // namespace

Runner::Runner(const plan::PlanSpec& spec, ElementType type, wire::Wire& wire, Reduction reduction,
               const plan::StepWindow& window)
    : task_(spec, type, reduction, window, wire.rank()),
      tally_(in_bytes(plan::count(task_.program), task_.element_size)),
      brings_(plan::total(plan::holdings(task_.spec, wire.rank()).before)),
      gets_(plan::total(plan::holdings(task_.spec, wire.rank()).after)),
      wire_(checked(wire, spec)),
      executor_(executor_for(task_, wire)) {}

const plan::Trace& Runner::run(const Buffers& buffers, const Deadline& deadline) {
  prepare(deadline);
  start(buffers, deadline);
  return wait();
}

const plan::Trace& Runner::wait(const Deadline& deadline) {
  if (deadline_) deadline_ = deadline;
  return wait();
}

void Runner::prepare(const Deadline& deadline) {
  if (std::exchange(prepared_, true) || wire_.windows() != nullptr) return;
  deadline_ = deadline;
  guarded([&] { agree(wire_, task_.signature, deadline); });
  deadline_.reset();
}

void Runner::start(const Buffers& buffers, const Deadline& deadline) {
  deadline_ = deadline;
  guarded([&] {
    check_sizes(buffers);
    before_ = wire_.counters();
    own_ = buffers.into.data();
    executor_->begin(buffers);
  });
}

bool Runner::poll() {
  if (!deadline_) return true;
  guarded([&] {
    const bool late = deadline_->expired();
    if (!executor_->advance()) {
      if (!late) return;
      executor_->finish(*deadline_);  // which says who is late
    }
    complete_exchange();
  });
  return !deadline_;
}

bool Runner::look() {
  if (!deadline_) return true;
  guarded([&] {
    if (executor_->look()) complete_exchange();
  });
  return !deadline_;
}

void Runner::require_place() {
  guarded([&] { executor_->require_place(); });
}

const plan::Trace& Runner::wait() {
  if (deadline_) {
    guarded([&] {
      executor_->finish(*deadline_);
      complete_exchange();
    });
  }
  return executor_->trace();
}

// If anything goes wrong in `act`, the others learn of it.
template <typename Act>
void Runner::guarded(Act act) {
  wire::or_leave(wire_, act, [&](Failure& failure) {
    failure = complete(std::move(failure));
    deadline_.reset();
  });
}

void Runner::complete_exchange() {
  check_counters();
  deadline_.reset();
}

void Runner::check_sizes(const Buffers& buffers) const {
  const auto require = [&](std::string_view what, std::size_t bytes, std::int64_t elements) {
    const std::size_t needed = task_.bytes(elements);
    if (bytes == needed) return;
    throw bad_input(fmt::format("{} has {} bytes, but {} elements of {} take {}", what, bytes, elements,
                                name(task_.type), needed));
  };
  if (is_in_place(task_.spec.operation)) {
    require("the buffer", buffers.into.size(), task_.spec.parameters);
    assert(buffers.from.data() == buffers.into.data());
    return;
  }
  require("what this node brings", buffers.from.size(), brings_);
  require("the place for what it gets", buffers.into.size(), gets_);
}

void Runner::check_counters() {
  wire::Counters grown = wire_.counters();
  grown -= before_;
  counted_ += grown;
  if (grown == tally_) return;
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = fmt::format("the plan says {}, the wire counted {}", in_words(tally_), in_words(grown));
  failure.hint = "let nothing else use this wire during an exchange; else this is a bug of Trireme";
  throw Error(std::move(failure));
}

Failure Runner::complete(Failure failure) const {
  if (!failure.rank) failure.rank = wire_.members().job_rank(task_.program.node);
  if (failure.op_id && is_own(task_.id_on_wire(*failure.op_id))) {
    failure.op_id = task_.id_on_wire(*failure.op_id);
    if (failure.cause == Failure::Cause::kMismatch) {
      failure.what += fmt::format("; here it is the {}", task_.signature.text.data());
    }
  }
  if (failure.op.empty()) failure.op = op_in_words(failure);
  if (!failure.elapsed && deadline_) failure.elapsed = deadline_->elapsed();
  if (failure.hint.empty()) failure.hint = "look at the output of the other nodes";
  return failure;
}

bool Runner::is_own(OpId id) const {
  const std::vector<plan::Op>& ops = task_.program.ops;
  return std::any_of(ops.begin(), ops.end(), [&](const plan::Op& op) { return op.id == id; });
}

std::string Runner::op_in_words(const Failure& failure) const {
  const std::vector<plan::Op>& ops = task_.program.ops;
  const auto op =
      std::find_if(ops.begin(), ops.end(), [&](const plan::Op& o) { return o.id == failure.op_id; });
  if (op != ops.end()) {
    plan::Op named = *op;
    named.peer = wire_.members().job_rank(op->peer);
    return plan::say(task_.spec, named);
  }
  return fmt::format("step {} of {}", executor_->step() + 1, plan::title(task_.spec));
}

}  // namespace trireme::exec
