// The inside of a Group, for Trireme's own parts.
#pragma once

#include <trireme/trireme.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/started.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/system/own_process.h"
#include "exec/runner.h"
#include "wire/or_leave.h"
#include "wire/point_to_point.h"
#include "world/connection.h"

namespace trireme {
inline namespace TRIREME_ABI {

/// What a process has once, however many groups it is in.
struct Job {
  Job(std::unique_ptr<world::Connection> its_connection, std::chrono::nanoseconds its_timeout)
      : timeout(its_timeout), connection(std::move(its_connection)), started(connection->wire().job()) {}
  /// Where an exception ends this worker after a call of its own that made no sense, the others are told so.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Throws `Error` where some of these nodes are servers, which take part in nothing but rounds.
  void require_no_servers(std::string_view what, const wire::Members& members) const;
  /// Throws `Error` where operations that were started are not complete.
  void require_nothing_started(std::string_view what) const;
  /// Leaves in order, for the process is about to end: its groups are left as they are, like those of a
  /// forked child.
  void end();

  const std::chrono::nanoseconds timeout;
  std::unique_ptr<world::Connection> connection;
  const OwnProcess process;          ///< it has joined: a child that it forks is not this worker
  bool ended = false;                ///< it has left in order
  bool busy = false;                 ///< gradients of an Exchange may be under way
  bool tells_choices = true;         ///< false: the program tells them itself
  std::set<std::string> told;        ///< choices that the user has been told
  std::set<Rank> servers;            ///< nodes that an Exchange of this node has made servers
  std::optional<Failure> refused{};  ///< why the last call of this worker was refused, if it was
  StartedOperations started;

 private:
  const int exceptions_ = std::uncaught_exceptions();
};

struct Group::Impl {
  using Key = std::tuple<std::int64_t, Operation, plan::Strategy, NumberType, Reduction, Rank>;

  /// The group of all.
  explicit Impl(std::shared_ptr<Job> job);
  /// A part of the job. Null: this worker is in no group.
  Impl(std::shared_ptr<Job> job, std::unique_ptr<wire::Wire> part);

  /// Not where this worker is in no group.
  [[nodiscard]] wire::Wire& wire() { return *used_; }
  [[nodiscard]] bool empty() const { return used_ == nullptr; }
  [[nodiscard]] Deadline deadline() const { return Deadline::after(job->timeout); }
  /// Writes a default that was taken to standard error: on rank 0 of several nodes, once.
  void tell_choice(const std::string& choice);
  /// The strategy of a sum of these numbers. Tells what `auto` has taken.
  [[nodiscard]] plan::Strategy choose(std::string_view wish, std::span<const std::byte> numbers);
  /// An operation that is ready to run. Throws `Error` where the call makes no sense.
  struct Prepared {
    exec::Runner* runner = nullptr;
    exec::Buffers buffers;
  };
  [[nodiscard]] Prepared prepare(const Call& call);
  /// Throws `Error` where there is no such worker or tag.
  void check_message(const Call& call) const;
  void post(const Call& call, wire::Batch& batch);
  /// Runs `act`, which posts the message or waits for it. If it throws, this worker leaves the job, and the
  /// error says which message it was.
  template <typename Act>
  void guarded(const Call& call, const Deadline& deadline, Act act);

  template <typename Act>
  void failing_all_started(Act act);

  /// *Together*, servers too: the sum over all nodes, without choosing.
  template <typename T>
  void sum_over_nodes(std::span<T> numbers);
  /// *Together*, servers too: zero at first.
  [[nodiscard]] std::shared_ptr<void> memory(std::size_t bytes, void** data);
  [[nodiscard]] bool is_here() const { return !job->ended && job->process.is_here(); }
  /// Throws `Error` where this worker is in no group.
  void require_member(std::string_view what) const;
  /// Throws `Error` in a forked child, and where this worker is in no group.
  void require_here(std::string_view what) const;
  /// Throws `Error` likewise, and where nodes are busy with an Exchange, or are its servers, so that they
  /// cannot take part in anything else.
  void require_free(std::string_view what) const;
  /// A collective call begins: throws likewise, and waits for the operations of this group that were started.
  void enter(std::string_view what);

  const std::shared_ptr<Job> job;
  int exchanges = 0;  // that were made so far

 private:
  const std::unique_ptr<wire::Wire> part_;  // null: the job's wire, or none
  wire::Wire* const used_;
  void complete(Failure& failure, const Call& call, const Deadline& deadline) const;
  template <typename Act>
  auto named(const Call& call, Act act) const;
  [[nodiscard]] Prepared prepare_unnamed(const Call& call);
  [[nodiscard]] plan::PlanSpec spec_of(const Call& call) const;
  [[nodiscard]] plan::Strategy choose(const Call& call, const plan::PlanSpec& spec);
  [[nodiscard]] exec::Runner& runner(const plan::PlanSpec& spec, Operation operation, NumberType type,
                                     Reduction reduction);

  std::map<Key, exec::Runner> runners_;
  const std::unique_ptr<wire::PointToPoint> point_to_point_;  // null: this worker is in no group
};

template <typename Act>
void Group::Impl::guarded(const Call& call, const Deadline& deadline, Act act) {
  wire::or_leave(wire(), act, [&](Failure& failure) { complete(failure, call, deadline); });
}

template <typename T>
void Group::Impl::sum_over_nodes(std::span<T> numbers) {
  const std::span<std::byte> bytes = std::as_writable_bytes(numbers);
  const plan::PlanSpec spec = plan::spec_for(plan::Strategy::kDirect, wire().size(), std::ssize(numbers), 0);
  runner(spec, Operation::kReduce, number_type_of<T>(), Reduction::kSum).run(bytes, deadline());
}

struct WorldAccess {
  using Inside = Group::Impl;
  using Call = Group::Call;

  [[nodiscard]] static Inside& inside(const Group& group);
  /// One that is connected already.
  [[nodiscard]] static World make(std::unique_ptr<world::Connection> connection,
                                  std::chrono::nanoseconds timeout);
};

}  // namespace TRIREME_ABI
}  // namespace trireme
