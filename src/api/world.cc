#include <fmt/format.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "api/world_impl.h"
#include "base/system/output.h"
#include "base/text.h"
#include "exec/auto_strategy.h"
#include "wire/group_wire.h"
#include "wire/notes.h"
#include "wire/shm/windows.h"
#include "world/unknown_variables.h"
#include "world/world.h"

namespace trireme {
inline namespace TRIREME_ABI {
namespace {

// A misspelt variable may be the reason why nobody meets.
void say_unknown_variables() {
  for (const std::string& sentence : world::unknown_variables(environ))
    write_error(fmt::format("trireme: {}\n", sentence));
}

// One node says once how nodes are connected; inherited memory was the launcher's choice, and goes without
// saying.
void say_how(const world::FoundWorld& found, const world::Connection& connection) {
  const auto say = [](const std::string& text) { write_error(fmt::format("trireme: {}\n", text)); };
  if (const std::optional<std::string> why = world::why_alone(found)) say(*why);
  if (found.rank != 0 || found.size == 1 || world::inherits_memory(found)) return;
  say(connection.in_words());
}

// A first attempt that failed counts, too: it has used up what the launcher passed on.
void require_first_join() {
  static std::atomic<pid_t> joined{0};
  pid_t nobody = 0;
  if (joined.compare_exchange_strong(nobody, ::getpid())) return;
  if (nobody == ::getpid()) {
    throw bad_input("this process has called join before", "join once, and hand the World on");
  }
  throw bad_input(fmt::format("this process is a child of process {}, which has called join before", nobody),
                  "fork before anybody joins, or start the child as a program of its own");
}

// Names misspelt variables where they contradict the others, and on rank 0; our own launcher has named them
// already.
world::FoundWorld find_world_and_slips() {
  try {
    world::FoundWorld found = world::find_world();
    if (found.rank == 0 && !found.segment_fd && !found.listener_fd) say_unknown_variables();
    return found;
  } catch (const Error&) {
    say_unknown_variables();
    throw;
  }
}

// The wishes of the program hold unless the environment says otherwise.
world::FoundWorld find_world_or(const JoinOptions& wishes) {
  world::FoundWorld found = find_world_and_slips();
  if (wishes.timeout && !world::find_timeout()) {
    if (*wishes.timeout <= std::chrono::nanoseconds(0)) {
      throw bad_input("JoinOptions::timeout must be more than 0", "give a time like std::chrono::minutes(2)");
    }
    found.timeout = *wishes.timeout;
  }
  if (wishes.wire && !found.wire) found.wire = wire::parse_wire(*wishes.wire, "JoinOptions::wire");
  return found;
}

}  // namespace

Group::Impl::Impl(std::shared_ptr<Job> its_job)
    : job(std::move(its_job)),
      used_(&job->connection->wire()),
      point_to_point_(std::make_unique<wire::PointToPoint>(*used_)) {}

Group::Impl::Impl(std::shared_ptr<Job> its_job, std::unique_ptr<wire::Wire> part)
    : job(std::move(its_job)),
      part_(std::move(part)),
      used_(part_.get()),
      point_to_point_(used_ == nullptr ? nullptr : std::make_unique<wire::PointToPoint>(*used_)) {}

WorldAccess::Inside& WorldAccess::inside(Group& group) { return *group.impl_; }

World WorldAccess::make(std::unique_ptr<world::Connection> connection, std::chrono::nanoseconds timeout) {
  return World(std::make_unique<Group::Impl>(std::make_shared<Job>(std::move(connection), timeout)));
}

std::span<std::byte> WorldAccess::memory(Inside& inside, std::size_t bytes, std::shared_ptr<void>& owner) {
  void* data = nullptr;
  owner = inside.memory(bytes, &data);
  return {static_cast<std::byte*>(data), bytes};
}

plan::Strategy Group::Impl::choose(std::string_view wish, std::span<const std::byte> bytes) {
  if (const std::optional<plan::Strategy> strategy = exec::parse_strategy_or_auto(wish)) return *strategy;
  wire::shm::Windows* windows = wire().windows();
  const bool in_window = windows != nullptr && windows->find(bytes);
  const exec::Choice choice =
      exec::choose_strategy(wire().kind(), in_window, wire().size(), static_cast<std::int64_t>(bytes.size()));
  tell_choice("auto takes " + choice.why);
  return choice.strategy;
}

void Group::Impl::tell_choice(const std::string& choice) {
  const bool is_first = wire().members().job_rank(wire().rank()) == 0;
  if (!job->tells_choices || wire().size() == 1 || !is_first || !job->told.insert(choice).second) return;
  write_error(fmt::format("trireme: {}\n", choice));
}

exec::ElementType Group::Impl::element_of(Type type) {
  // In the order of the enum.
  constexpr exec::ElementType kTypes[] = {exec::ElementType::kFloat32, exec::ElementType::kFloat64,
                                          exec::ElementType::kFloat16, exec::ElementType::kBFloat16,
                                          exec::ElementType::kInt8,    exec::ElementType::kInt32,
                                          exec::ElementType::kInt64,   exec::ElementType::kUint8};
  return kTypes[static_cast<std::size_t>(type)];
}

exec::Runner& Group::Impl::runner(std::size_t bytes, Type type, Reduction reduction,
                                  plan::Strategy strategy) {
  const Key key{bytes, type, reduction, strategy};
  if (const auto known = runners_.find(key); known != runners_.end()) return known->second;
  // In the order of the enum.
  constexpr exec::Reduction kReductions[] = {exec::Reduction::kSum, exec::Reduction::kAverage,
                                             exec::Reduction::kProduct, exec::Reduction::kMin,
                                             exec::Reduction::kMax};
  const exec::ElementType element = element_of(type);
  const plan::PlanSpec spec =
      plan::spec_for(strategy, wire().size(), static_cast<std::int64_t>(bytes) / exec::size_of(element), 0);
  return runners_
      .emplace(std::piecewise_construct, std::forward_as_tuple(key),
               std::forward_as_tuple(spec, element, wire(), kReductions[static_cast<std::size_t>(reduction)]))
      .first->second;
}

Group::Group(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
// The copy in a forked child is no place in the job: it is left as it is.
Group::~Group() {
  if (impl_ && !impl_->is_here()) static_cast<void>(impl_.release());
}

bool Group::empty() const { return impl_->empty(); }
Rank Group::rank() const {
  impl_->require_member("the rank");
  return impl_->wire().rank();
}
Rank Group::size() const { return empty() ? 0 : impl_->wire().size() - impl_->servers; }
std::chrono::nanoseconds Group::timeout() const { return impl_->job->timeout; }

Group Group::split(std::optional<std::int64_t> color, std::int64_t key) {
  impl_->require_free("a split");
  return Group(
      std::make_unique<Impl>(impl_->job, trireme::wire::split(impl_->wire(), color, key, impl_->deadline())));
}

void Group::exchange(std::span<std::byte> bytes, Type type, Reduction reduction, std::string_view strategy) {
  constexpr std::string_view kCalls[] = {"a sum", "an average", "a product", "a min", "a max"};
  impl_->require_free(kCalls[static_cast<std::size_t>(reduction)]);
  const plan::Strategy chosen = impl_->choose(strategy, bytes);
  impl_->runner(bytes.size(), type, reduction, chosen).run(bytes, impl_->deadline());
}

void Group::barrier() {
  impl_->require_free("a barrier");
  trireme::wire::barrier(impl_->wire(), impl_->deadline());
}

void Group::send_bytes(std::span<const std::byte> bytes, Type type, Rank to, int tag) {
  const Impl::Message message{"send", bytes.size(), type, to, tag};
  impl_->require_message(message);
  trireme::wire::Batch batch;
  const Deadline deadline = impl_->deadline();
  impl_->guarded(message, deadline, [&] {
    impl_->point_to_point().post_send(batch, to, tag, bytes);
    impl_->wire().wait(batch, deadline);
  });
}

void Group::receive_bytes(std::span<std::byte> bytes, Type type, Rank from, int tag) {
  const Impl::Message message{"receive", bytes.size(), type, from, tag};
  impl_->require_message(message);
  trireme::wire::Batch batch;
  const Deadline deadline = impl_->deadline();
  impl_->guarded(message, deadline, [&] {
    impl_->point_to_point().post_receive(batch, from, tag, bytes);
    impl_->wire().wait(batch, deadline);
  });
}

void Group::Impl::require_message(const Message& message) const {
  require_free(message.call == "send" ? "a send" : "a receive");
  point_to_point_->check(message.peer, message.tag);
}

void Group::Impl::complete(Failure& failure, const Message& message, const Deadline& deadline) const {
  const wire::Members& members = used_->members();
  if (!failure.rank) failure.rank = members.job_rank(used_->rank());
  const exec::ElementType element = element_of(message.type);
  const auto count = static_cast<std::int64_t>(message.bytes) / exec::size_of(element);
  failure.op =
      fmt::format("{} of {} {} {} rank {} with tag {}", message.call, with_commas(count), exec::name(element),
                  message.call == "send" ? "to" : "from", members.job_rank(message.peer), message.tag);
  if (!failure.elapsed) failure.elapsed = deadline.elapsed();
  if (failure.hint.empty()) failure.hint = "look at the output of the other workers";
}

std::shared_ptr<void> Group::memory(std::size_t bytes, void** data) {
  impl_->require_free("a buffer");
  return impl_->memory(bytes, data);
}

void Group::Impl::require_member(std::string_view what) const {
  if (!empty()) return;
  throw bad_input(fmt::format("{} in a group that this worker is not in", what),
                  "leave it out where Group::empty() is true, or give a color to split");
}

void Group::Impl::require_here(std::string_view what) const {
  if (!is_here()) {
    throw bad_input(fmt::format("{} in process {}, a child of process {}, which has joined the job", what,
                                ::getpid(), job->process.id()),
                    "let the process that has joined do it");
  }
  require_member(what);
}

void Group::Impl::require_free(std::string_view what) const {
  require_here(what);
  if (job->busy) {
    throw bad_input(fmt::format("{} between backward and the average or step of its gradients", what),
                    "call it before backward, or after the step");
  }
  if (servers == 0) return;
  throw bad_input(
      fmt::format("{} is for all nodes of a job, and {} of this one have become servers", what, servers),
      "make it before the Exchange, or use Exchange::sum");
}

std::shared_ptr<void> Group::Impl::memory(std::size_t bytes, void** data) {
  if (wire::shm::Windows* windows = wire().windows()) {
    auto window = std::make_shared<wire::shm::Window>(windows->make(wire(), bytes, deadline()));
    *data = window->bytes().data();
    return window;
  }
  auto room = std::make_shared<exec::Room>(bytes);
  std::memset(room->data(), 0, bytes);
  *data = room->data();
  return room;
}

World join(int /*argc*/, char** /*argv*/, const JoinOptions& options) {
  require_first_join();
  const world::FoundWorld found = find_world_or(options);
  auto job = std::make_shared<Job>(world::connect(found, Deadline::after(found.timeout)), found.timeout);
  say_how(found, *job->connection);
  // A launcher reads from a pipe, to which whole blocks would go: lines come out as they are printed.
  if (job->connection->wire().size() > 1) std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return World(std::make_unique<Group::Impl>(std::move(job)));
}

}  // namespace TRIREME_ABI
}  // namespace trireme
