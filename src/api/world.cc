#include <fmt/format.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
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

WorldAccess::Inside& WorldAccess::inside(const Group& group) { return *group.impl_; }

World WorldAccess::make(std::unique_ptr<world::Connection> connection, std::chrono::nanoseconds timeout) {
  return World(std::make_shared<Group::Impl>(std::make_shared<Job>(std::move(connection), timeout)));
}

void Group::Impl::tell_choice(const std::string& choice) {
  const bool is_first = wire().members().job_rank(wire().rank()) == 0;
  if (!job->tells_choices || wire().size() == 1 || !is_first || !job->told.insert(choice).second) return;
  write_error(fmt::format("trireme: {}\n", choice));
}

Group::Group(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
// The copy in a forked child is no place in the job: it is left as it is.
Group::~Group() {
  if (impl_ && !impl_->is_here())
    static_cast<void>(new (std::nothrow) std::shared_ptr<Impl>(std::move(impl_)));
}

bool Group::empty() const { return impl_->empty(); }
Rank Group::rank() const {
  impl_->require_member("the rank");
  return impl_->wire().rank();
}
Part Group::part(std::size_t count) const {
  impl_->require_member("a part");
  if (count > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) {
    throw bad_input(fmt::format("a part of {} numbers", count), "give a count below 2^63");
  }
  const plan::Slice own = plan::chunk(rank(), static_cast<std::int64_t>(count), size());
  return {.first = static_cast<std::size_t>(own.first), .count = static_cast<std::size_t>(own.count)};
}
bool Group::is(Rank member) const { return !empty() && rank() == member; }
Rank Group::size() const { return empty() ? 0 : impl_->wire().size(); }
std::chrono::nanoseconds Group::timeout() const { return impl_->job->timeout; }

Group Group::split(std::optional<std::int64_t> color, std::int64_t key) {
  impl_->enter("a split");
  return Group(
      std::make_shared<Impl>(impl_->job, trireme::wire::split(impl_->wire(), color, key, impl_->deadline())));
}

void Group::barrier() {
  impl_->enter("a barrier");
  trireme::wire::barrier(impl_->wire(), impl_->deadline());
}

std::shared_ptr<void> Group::memory(std::size_t bytes, void** data) {
  impl_->enter("a buffer");
  return impl_->memory(bytes, data);
}

void Job::require_no_servers(std::string_view what, const wire::Members& members) const {
  if (servers.empty()) return;
  Rank found = 0;
  for (Rank member = 0; member < members.size(); ++member) {
    if (servers.contains(members.job_rank(member))) ++found;
  }
  if (found == 0) return;
  throw bad_input(fmt::format("{} in a group with {}, which an Exchange has for its rounds alone", what,
                              counted(found, "server")),
                  "use the group exchange.workers() of that Exchange");
}

Job::~Job() {
  const bool fails = refused && std::uncaught_exceptions() > exceptions_;
  if (fails && connection && process.is_here()) connection->wire().leave(*refused);
}

void Job::end() {
  ended = true;
  connection.reset();
}

void Group::Impl::require_member(std::string_view what) const {
  if (!empty()) return;
  throw bad_input(
      fmt::format("{} of an empty group: this worker gave no color to the split that made it", what),
      "ask Group::empty() first, or give a color");
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
  job->refused.reset();
  if (job->busy) {
    throw bad_input(fmt::format("{} between backward and the average or step of its gradients", what),
                    "call it before backward, or after the step");
  }
  job->require_no_servers(what, used_->members());
}

void Group::Impl::enter(std::string_view what) {
  require_free(what);
  if (!job->started.empty()) job->started.finish(this, deadline());
}

void Job::require_nothing_started(std::string_view what) const {
  if (started.empty()) return;
  throw bad_input(fmt::format("{} while operations that were started are under way", what),
                  "wait for them first");
}

std::shared_ptr<void> Group::Impl::memory(std::size_t bytes, void** data) {
  constexpr auto kMostBytes = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  if (wire::shm::Windows* windows = wire().windows()) {
    auto window = std::make_shared<wire::shm::Window>(windows->make(wire(), bytes, deadline()));
    *data = window->bytes().data();
    return window;
  }
  try {
    // Of sizes near to the greatest one, allocators round up to 0.
    if (bytes > kMostBytes) throw std::bad_alloc();
    auto room = std::make_shared<exec::Room>(bytes);
    std::memset(room->data(), 0, bytes);
    *data = room->data();
    return room;
  } catch (const std::bad_alloc&) {
    throw bad_input(fmt::format("there is no memory for a buffer of {}",
                                bytes_in_words(static_cast<std::int64_t>(std::min(bytes, kMostBytes)))),
                    "make it smaller, or give the process more memory");
  }
}

World join(int /*argc*/, char** /*argv*/, const JoinOptions& options) {
  require_first_join();
  const world::FoundWorld found = find_world_or(options);
  auto job = std::make_shared<Job>(world::connect(found, Deadline::after(found.timeout)), found.timeout);
  say_how(found, *job->connection);
  // A launcher reads from a pipe, to which whole blocks would go: lines come out as they are printed.
  if (job->connection->wire().size() > 1) std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return World(std::make_shared<Group::Impl>(std::move(job)));
}

}  // namespace TRIREME_ABI
}  // namespace trireme
