// The wire of a group: some nodes of a job, in an order, with messages and counters of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/deadline.h"
#include "wire/job_wire.h"

namespace trireme::wire {

/// Uses the wire of the job, which outlives it.
class GroupWire : public Wire {
 public:
  GroupWire(JobWire& job, GroupId group, Members members, Rank rank)
      : job_(job), members_(std::move(members)), rank_(rank), channel_{.id = {.group = group}} {}

  [[nodiscard]] WireKind kind() const override { return job_.kind(); }
  [[nodiscard]] Rank rank() const final { return rank_; }
  [[nodiscard]] const Members& members() const final { return members_; }
  [[nodiscard]] JobWire& job() final { return job_; }
  [[nodiscard]] GroupId group() const final { return channel_.id.group; }
  [[nodiscard]] Counters counters() const override { return channel_.counters; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) final;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) final;
  void progress() final { job_.progress(); }
  void wait(const Batch& batch, const Deadline& deadline) final { job_.wait(batch, deadline); }
  void leave(const Failure& reason) noexcept final { job_.leave(reason); }

 protected:
  JobWire& job_;
  const Members members_;
  const Rank rank_;
  Channel channel_;
};

/// The group of all nodes of `wire` that give the same color, ordered by key and then by rank: all nodes of
/// `wire` call it together. Null for a node that gives no color, which is in no group. Throws `Error` like
/// `Wire::wait`, after leaving the wire.
[[nodiscard]] std::unique_ptr<Wire> split(Wire& wire, std::optional<std::int64_t> color, std::int64_t key,
                                          const Deadline& deadline);

}  // namespace trireme::wire
