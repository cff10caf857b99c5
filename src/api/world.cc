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
#include "exec/auto_strategy.h"
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

World::Impl::Impl(std::unique_ptr<world::Connection> connection_, std::chrono::nanoseconds timeout_)
    : timeout(timeout_), connection(std::move(connection_)) {}

WorldAccess::Inside& WorldAccess::inside(World& world) { return *world.impl_; }

World WorldAccess::make(std::unique_ptr<world::Connection> connection, std::chrono::nanoseconds timeout) {
  return World(std::make_unique<World::Impl>(std::move(connection), timeout));
}

std::span<std::byte> WorldAccess::memory(Inside& inside, std::size_t bytes, std::shared_ptr<void>& owner) {
  void* data = nullptr;
  owner = inside.memory(bytes, &data);
  return {static_cast<std::byte*>(data), bytes};
}

plan::Strategy World::Impl::choose(std::string_view wish, std::span<const std::byte> bytes) {
  if (const std::optional<plan::Strategy> strategy = exec::parse_strategy_or_auto(wish)) return *strategy;
  wire::shm::Windows* windows = wire().windows();
  const bool in_window = windows != nullptr && windows->find(bytes);
  const exec::Choice choice =
      exec::choose_strategy(wire().kind(), in_window, wire().size(), static_cast<std::int64_t>(bytes.size()));
  tell_choice("auto takes " + choice.why);
  return choice.strategy;
}

void World::Impl::tell_choice(const std::string& choice) {
  if (!tells_choices || wire().size() == 1 || wire().rank() != 0 || !told.insert(choice).second) return;
  write_error(fmt::format("trireme: {}\n", choice));
}

exec::Runner& World::Impl::runner(std::size_t bytes, Type type, Reduction reduction,
                                  plan::Strategy strategy) {
  const Key key{bytes, type, reduction, strategy};
  if (const auto known = runners.find(key); known != runners.end()) return known->second;
  // In the order of the enums.
  constexpr exec::ElementType kTypes[] = {exec::ElementType::kFloat32, exec::ElementType::kFloat64,
                                          exec::ElementType::kFloat16, exec::ElementType::kBFloat16,
                                          exec::ElementType::kInt8,    exec::ElementType::kInt32,
                                          exec::ElementType::kInt64,   exec::ElementType::kUint8};
  constexpr exec::Reduction kReductions[] = {exec::Reduction::kSum, exec::Reduction::kAverage,
                                             exec::Reduction::kProduct, exec::Reduction::kMin,
                                             exec::Reduction::kMax};
  const exec::ElementType element = kTypes[static_cast<std::size_t>(type)];
  const plan::PlanSpec spec =
      plan::spec_for(strategy, wire().size(), static_cast<std::int64_t>(bytes) / exec::size_of(element), 0);
  return runners
      .emplace(std::piecewise_construct, std::forward_as_tuple(key),
               std::forward_as_tuple(spec, element, wire(), kReductions[static_cast<std::size_t>(reduction)]))
      .first->second;
}

World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
// The copy in a forked child is no place in the job: it is left as it is.
World::~World() {
  if (impl_ && !impl_->is_here()) static_cast<void>(impl_.release());
}

Rank World::rank() const { return impl_->wire().rank(); }
Rank World::size() const { return impl_->wire().size() - impl_->servers; }
std::chrono::nanoseconds World::timeout() const { return impl_->timeout; }

void World::exchange(std::span<std::byte> bytes, Type type, Reduction reduction, std::string_view strategy) {
  constexpr std::string_view kCalls[] = {"a sum", "an average", "a product", "a min", "a max"};
  impl_->require_free(kCalls[static_cast<std::size_t>(reduction)]);
  const plan::Strategy chosen = impl_->choose(strategy, bytes);
  impl_->runner(bytes.size(), type, reduction, chosen).run(bytes, impl_->deadline());
}

void World::barrier() {
  impl_->require_free("a barrier");
  trireme::wire::barrier(impl_->wire(), impl_->deadline());
}

std::shared_ptr<void> World::memory(std::size_t bytes, void** data) {
  impl_->require_free("a buffer");
  return impl_->memory(bytes, data);
}

void World::Impl::require_here(std::string_view what) const {
  if (is_here()) return;
  throw bad_input(fmt::format("{} in process {}, a child of process {}, which has joined the job", what,
                              ::getpid(), process),
                  "let the process that has joined do it");
}

void World::Impl::require_free(std::string_view what) const {
  require_here(what);
  if (busy) {
    throw bad_input(fmt::format("{} between backward and the average or step of its gradients", what),
                    "call it before backward, or after the step");
  }
  if (servers == 0) return;
  throw bad_input(
      fmt::format("{} is for all nodes of a job, and {} of this one have become servers", what, servers),
      "make it before the Exchange, or use Exchange::sum");
}

std::shared_ptr<void> World::Impl::memory(std::size_t bytes, void** data) {
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
  auto impl =
      std::make_unique<World::Impl>(world::connect(found, Deadline::after(found.timeout)), found.timeout);
  say_how(found, *impl->connection);
  // A launcher reads from a pipe, to which whole blocks would go: lines come out as they are printed.
  if (impl->wire().size() > 1) std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return World(std::move(impl));
}

}  // namespace TRIREME_ABI
}  // namespace trireme
