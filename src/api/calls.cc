// The operations and messages of a Group: checked, then run.
#include <fmt/format.h>
#include <trireme/trireme.h>

#include <exception>
#include <utility>

#include "api/world_impl.h"
#include "base/text.h"
#include "exec/auto_strategy.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "wire/shm/windows.h"

namespace trireme {
inline namespace TRIREME_ABI {
namespace {

exec::ElementType element_of(NumberType type) {
  // In the order of the enum.
  constexpr exec::ElementType kTypes[] = {exec::ElementType::kFloat32, exec::ElementType::kFloat64,
                                          exec::ElementType::kFloat16, exec::ElementType::kBFloat16,
                                          exec::ElementType::kInt8,    exec::ElementType::kInt32,
                                          exec::ElementType::kInt64,   exec::ElementType::kUint8};
  return kTypes[static_cast<std::size_t>(type)];
}

std::int64_t count_of(const Lent& lent) {
  return static_cast<std::int64_t>(lent.bytes.size()) / exec::size_of(element_of(lent.type));
}

void require_count(std::string_view what, std::int64_t count, std::int64_t wanted, const std::string& why) {
  if (count == wanted) return;
  throw bad_input(fmt::format("{} has {}, not {}", what, counted(count, "number"), with_commas(wanted)), why);
}

// `mine` may lie where it belongs in `all`, `before` bytes behind its beginning.
void require_apart(std::span<const std::byte> mine, std::span<const std::byte> all, std::size_t before) {
  const bool apart = mine.empty() || all.empty() || mine.data() + mine.size() <= all.data() ||
                     all.data() + all.size() <= mine.data();
  if (apart || mine.data() == all.data() + before) return;
  throw bad_input("what this worker brings and what it gets overlap in memory",
                  "let them lie apart, or its own part where it belongs in the whole");
}

}  // namespace

// The numbers that the operation is about, and that they fit together.
plan::PlanSpec Group::Impl::spec_of(const Call& call) const {
  const Rank n = used_->size();
  plan::PlanSpec spec;
  spec.workers = n;
  const auto own_part = [&] { return plan::chunk(used_->rank(), spec.parameters, n).count; };
  const auto parts = [&] {
    return fmt::format("its part of {} are {}: see Group::part", counted(spec.parameters, "number"),
                       with_commas(own_part()));
  };
  const bool is_root = call.root == used_->rank();
  switch (call.operation) {
    case Operation::kReduce:
    case Operation::kSend:
    case Operation::kReceive:
      spec.parameters = count_of(call.into);
      break;
    case Operation::kBroadcast:
      spec.operation = plan::Operation::kBroadcast;
      spec.parameters = count_of(call.into);
      break;
    case Operation::kGather:
      spec.operation = plan::Operation::kGather;
      spec.parameters = n * count_of(call.from);
      if (is_root) {
        require_count(
            "the place for all", count_of(call.into), spec.parameters,
            fmt::format("{} bring {} each", counted(n, "worker"), with_commas(count_of(call.from))));
      }
      break;
    case Operation::kAllGather:
      spec.operation = plan::Operation::kAllGather;
      spec.parameters = count_of(call.into);
      require_count("what this worker brings", count_of(call.from), own_part(), parts());
      break;
    case Operation::kScatter:
      spec.operation = plan::Operation::kScatter;
      spec.parameters = n * count_of(call.into);
      if (is_root) {
        require_count("what the root brings", count_of(call.from), spec.parameters,
                      fmt::format("{} get {} each", counted(n, "worker"), with_commas(count_of(call.into))));
      }
      break;
    case Operation::kReduceScatter:
      spec.operation = plan::Operation::kReduceScatter;
      spec.parameters = count_of(call.from);
      require_count("the place for this worker's part", count_of(call.into), own_part(), parts());
      break;
    case Operation::kAllToAll:
      spec.operation = plan::Operation::kAllToAll;
      spec.parameters = count_of(call.from);
      require_count("the place for what this worker gets", count_of(call.into), n * own_part(), parts());
      break;
  }
  if (!plan::has_root(spec.operation)) return spec;
  spec.root = call.root;
  if (spec.root >= 0 && spec.root < n) return spec;
  throw bad_input(fmt::format("the root is rank {}, and the group has {}", spec.root, counted(n, "worker")),
                  fmt::format("ranks are 0 to {}, in the group", n - 1));
}

plan::Strategy Group::Impl::choose(std::string_view wish, std::span<const std::byte> numbers) {
  if (const std::optional<plan::Strategy> strategy = exec::parse_strategy_or_auto(wish)) return *strategy;
  wire::shm::Windows* windows = wire().windows();
  const bool in_window = windows != nullptr && windows->find(numbers);
  const exec::Choice choice = exec::choose_strategy(wire().kind(), in_window, wire().size(),
                                                    static_cast<std::int64_t>(numbers.size()));
  tell_choice("auto takes " + choice.why);
  return choice.strategy;
}

plan::Strategy Group::Impl::choose(const Call& call, const plan::PlanSpec& spec) {
  if (spec.operation == plan::Operation::kSum) return choose(call.strategy, call.into.bytes);
  if (const std::optional<plan::Strategy> strategy = exec::parse_strategy_or_auto(call.strategy)) {
    plan::require_strategy(spec.operation, *strategy);
    return *strategy;
  }
  const std::int64_t bytes = spec.parameters * exec::size_of(element_of(call.into.type));
  const exec::Choice choice =
      exec::choose_strategy(spec.operation, wire().windows() != nullptr, spec.workers, bytes);
  tell_choice("auto takes " + choice.why);
  return choice.strategy;
}

exec::Runner& Group::Impl::runner(const plan::PlanSpec& spec, Operation operation, NumberType type,
                                  Reduction reduction) {
  const Key key{spec.parameters, operation, spec.strategy, type, reduction, spec.root};
  if (const auto known = runners_.find(key); known != runners_.end()) return known->second;
  // In the order of the enum.
  constexpr exec::Reduction kReductions[] = {exec::Reduction::kSum, exec::Reduction::kAverage,
                                             exec::Reduction::kProduct, exec::Reduction::kMin,
                                             exec::Reduction::kMax};
  return runners_
      .emplace(std::piecewise_construct, std::forward_as_tuple(key),
               std::forward_as_tuple(spec, element_of(type), wire(),
                                     kReductions[static_cast<std::size_t>(reduction)]))
      .first->second;
}

// After a failure this worker has left the job, and what it has started fails for the same reason.
template <typename Act>
void Group::Impl::failing_all_started(Act act) {
  try {
    act();
  } catch (...) {
    job->started.fail(std::current_exception());
    throw;
  }
}

// What is wrong with a call names the call.
template <typename Act>
auto Group::Impl::named(const Call& call, Act act) const {
  try {
    return act();
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (!failure.rank) failure.rank = used_->members().job_rank(used_->rank());
    const std::string_view words = in_words(call);  // with an article
    if (failure.op.empty()) failure.op = words.substr(words.find(' ') + 1);
    job->refused = failure;
    throw Error(std::move(failure));
  }
}

Group::Impl::Prepared Group::Impl::prepare(const Call& call) {
  return named(call, [&] { return prepare_unnamed(call); });
}

Group::Impl::Prepared Group::Impl::prepare_unnamed(const Call& call) {
  if (call.from.type != call.into.type) {
    throw bad_input(fmt::format("this worker brings {} and gets {}", exec::name(element_of(call.from.type)),
                                exec::name(element_of(call.into.type))),
                    "let both have the same type");
  }
  if (call.reduction > Reduction::kMax) throw bad_input("there is no such reduction");
  const exec::ElementType element = element_of(call.into.type);
  const bool adds_up = call.operation == Operation::kReduce || call.operation == Operation::kReduceScatter;
  // Where numbers are a range, the compiler has refused it.
  if (adds_up && call.reduction == Reduction::kAverage && exec::is_integer(element)) {
    throw bad_input(
        "integers have sums but no averages",
        "average them as float or double, or sum them up in a type that is wide enough and divide");
  }
  plan::PlanSpec spec = spec_of(call);
  if (call.operation != Operation::kReduce && call.operation != Operation::kBroadcast) {
    const bool gathers = call.operation == Operation::kGather || call.operation == Operation::kAllGather;
    const auto before = static_cast<std::size_t>(
        plan::chunk(used_->rank(), spec.parameters, spec.workers).first * exec::size_of(element));
    if (gathers) {
      require_apart(call.from.bytes, call.into.bytes, before);
    } else if (call.operation == Operation::kAllToAll) {
      require_apart(call.from.bytes, call.into.bytes, call.from.bytes.size());
    } else {
      require_apart(call.into.bytes, call.from.bytes, before);
    }
  }
  const plan::Strategy strategy = choose(call, spec);
  const plan::PlanSpec chosen = plan::spec_for(strategy, spec.workers, spec.parameters, 0);
  spec.strategy = strategy;
  spec.shares_on_workers = chosen.shares_on_workers;
  return {&runner(spec, call.operation, call.into.type, call.reduction), {call.from.bytes, call.into.bytes}};
}

void Group::Impl::check_message(const Call& call) const {
  named(call, [&] { point_to_point_->check(call.root, call.tag); });
}

void Group::Impl::post(const Call& call, wire::Batch& batch) {
  const auto kind = static_cast<std::uint8_t>(call.into.type);
  if (call.operation == Operation::kSend) {
    point_to_point_->post_send(batch, call.root, call.tag, call.from.bytes, kind);
  } else {
    point_to_point_->post_receive(batch, call.root, call.tag, call.into.bytes, kind);
  }
}

void Group::Impl::complete(Failure& failure, const Call& call, const Deadline& deadline) const {
  const wire::Members& members = used_->members();
  const bool sends = call.operation == Operation::kSend;
  if (!failure.rank) failure.rank = members.job_rank(used_->rank());
  if (failure.op.empty()) {
    failure.op = fmt::format("{} of {} {} {} rank {} with tag {}", sends ? "send" : "receive",
                             with_commas(count_of(call.into)), exec::name(element_of(call.into.type)),
                             sends ? "to" : "from", members.job_rank(call.root), call.tag);
  }
  if (!failure.elapsed) failure.elapsed = deadline.elapsed();
  if (failure.cause == Failure::Cause::kMismatch) {
    failure.hint = "let both workers name as many numbers of the same type, in the same order";
  }
  if (failure.hint.empty()) failure.hint = "look at the output of the other workers";
}

void Group::run(const Call& call) {
  const Deadline deadline = impl_->deadline();
  if (is_message(call)) {
    impl_->require_free(in_words(call));
    impl_->check_message(call);
    wire::Batch batch;
    return impl_->failing_all_started([&] {
      impl_->guarded(call, deadline, [&] {
        impl_->post(call, batch);
        impl_->wire().wait(batch, deadline);
      });
    });
  }
  impl_->enter(in_words(call));
  const Impl::Prepared prepared = impl_->prepare(call);
  impl_->failing_all_started([&] { prepared.runner->run(prepared.buffers, deadline); });
}

bool Group::is_message(const Call& call) {
  return call.operation == Operation::kSend || call.operation == Operation::kReceive;
}

std::string_view Group::in_words(const Call& call) {
  constexpr std::string_view kReductions[] = {"a sum", "an average", "a product", "a min", "a max"};
  constexpr std::string_view kCalls[] = {"",          "a broadcast",      "a gather",      "an all-gather",
                                         "a scatter", "a reduce-scatter", "an all-to-all", "a send",
                                         "a receive"};
  if (call.operation == Operation::kReduce) return kReductions[static_cast<std::size_t>(call.reduction)];
  return kCalls[static_cast<std::size_t>(call.operation)];
}

}  // namespace TRIREME_ABI
}  // namespace trireme
