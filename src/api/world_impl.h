// The inside of a Group, for Trireme's own parts.
#pragma once

#include <trireme/trireme.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

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
      : timeout(its_timeout), connection(std::move(its_connection)) {}

  const std::chrono::nanoseconds timeout;
  const std::unique_ptr<world::Connection> connection;
  const OwnProcess process;    ///< it has joined: a child that it forks is not this worker
  bool busy = false;           ///< gradients of an Exchange may be under way
  bool tells_choices = true;   ///< false: the program tells them itself
  std::set<std::string> told;  ///< choices that the user has been told
};

struct Group::Impl {
  using Key = std::tuple<std::size_t, Type, Reduction, plan::Strategy>;

  /// The group of all.
  explicit Impl(std::shared_ptr<Job> job);
  /// A part of the job. Null: this worker is in no group.
  Impl(std::shared_ptr<Job> job, std::unique_ptr<wire::Wire> part);

  /// Not where this worker is in no group.
  [[nodiscard]] wire::Wire& wire() { return *used_; }
  [[nodiscard]] bool empty() const { return used_ == nullptr; }
  [[nodiscard]] Deadline deadline() const { return Deadline::after(job->timeout); }
  /// Tells what `auto` has taken.
  [[nodiscard]] plan::Strategy choose(std::string_view wish, std::span<const std::byte> bytes);
  /// Writes a default that was taken to standard error: on rank 0 of several nodes, once.
  void tell_choice(const std::string& choice);
  [[nodiscard]] static exec::ElementType element_of(Type type);
  [[nodiscard]] exec::Runner& runner(std::size_t bytes, Type type, Reduction reduction,
                                     plan::Strategy strategy);
  /// Messages with tags. Not where this worker is in no group.
  [[nodiscard]] wire::PointToPoint& point_to_point() { return *point_to_point_; }
  /// A message with a tag, for errors.
  struct Message {
    std::string_view call;  ///< "send" or "receive"
    std::size_t bytes;
    Type type;
    Rank peer;  ///< in this group
    int tag;
  };
  /// Throws `Error` where there is no such peer or tag, or where `require_free` does.
  void require_message(const Message& message) const;
  /// Runs `act`, which posts the message or waits for it. If it throws, this worker leaves the job, and the
  /// error says which message it was.
  template <typename Act>
  void guarded(const Message& message, const Deadline& deadline, Act act);

  /// *Together*, servers too: the sum over all nodes, without choosing.
  template <typename T>
  void sum_over_nodes(std::span<T> numbers);
  /// *Together*, servers too: zero at first.
  [[nodiscard]] std::shared_ptr<void> memory(std::size_t bytes, void** data);
  [[nodiscard]] bool is_here() const { return job->process.is_here(); }
  [[nodiscard]] bool is_all() const { return part_ == nullptr && !empty(); }
  /// Throws `Error` where this worker is in no group.
  void require_member(std::string_view what) const;
  /// Throws `Error` in a forked child, and where this worker is in no group.
  void require_here(std::string_view what) const;
  /// Throws `Error` likewise, and where nodes are busy with an Exchange, so that they cannot take part in
  /// anything else.
  void require_free(std::string_view what) const;

  const std::shared_ptr<Job> job;
  Rank servers = 0;   // the last ranks, when an Exchange has made them servers
  int exchanges = 0;  // that were made so far

 private:
  const std::unique_ptr<wire::Wire> part_;  // null: the job's wire, or none
  wire::Wire* const used_;
  void complete(Failure& failure, const Message& message, const Deadline& deadline) const;

  std::map<Key, exec::Runner> runners_;
  const std::unique_ptr<wire::PointToPoint> point_to_point_;  // null: this worker is in no group
};

template <typename Act>
void Group::Impl::guarded(const Message& message, const Deadline& deadline, Act act) {
  wire::or_leave(wire(), act, [&](Failure& failure) { complete(failure, message, deadline); });
}

template <typename T>
void Group::Impl::sum_over_nodes(std::span<T> numbers) {
  const std::span<std::byte> bytes = std::as_writable_bytes(numbers);
  runner(bytes.size(), type_of<T>(), Reduction::kSum, plan::Strategy::kDirect).run(bytes, deadline());
}

struct WorldAccess {
  using Inside = Group::Impl;

  [[nodiscard]] static Inside& inside(Group& group);
  /// One that is connected already.
  [[nodiscard]] static World make(std::unique_ptr<world::Connection> connection,
                                  std::chrono::nanoseconds timeout);
  /// *Together*, servers too. As in a Buffer; it stays as long as its owner.
  [[nodiscard]] static std::span<std::byte> memory(Inside& inside, std::size_t bytes,
                                                   std::shared_ptr<void>& owner);
};

}  // namespace TRIREME_ABI
}  // namespace trireme
