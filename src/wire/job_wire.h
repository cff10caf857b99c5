// The wire of all nodes of a job. It also carries the messages of the job's groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "wire/meanwhile.h"
#include "wire/wire.h"

namespace trireme::wire {

/// What a channel carries: the exchanges of one group, or its messages with one tag.
struct ChannelId {
  GroupId group = 0;
  std::uint32_t tagged = 0;  ///< 0: exchanges; else the tag + 1

  friend bool operator==(const ChannelId&, const ChannelId&) = default;
};

class Awaited;

/// Messages on the wire of a job. Between two nodes those of one channel keep their order, and never wait for
/// those of another: a message that arrives before its receive is posted is put aside if one of another
/// channel is waited for.
struct Channel {
  ChannelId id{};
  Counters counters{};
  shm::Windows* windows = nullptr;  ///< of the group alone
};

class JobWire : public Wire {
 public:
  explicit JobWire(Rank nodes) : members_(nodes) {}

  [[nodiscard]] const Members& members() const final { return members_; }
  [[nodiscard]] JobWire& job() final { return *this; }
  [[nodiscard]] GroupId group() const final { return channel_.id.group; }
  [[nodiscard]] Counters counters() const override { return channel_.counters; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) final {
    post_send_on(channel_, batch, to, id, from);
  }
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) final {
    post_receive_on(channel_, batch, from, id, into, combine);
  }

  /// Waits for something else than one batch, such as the first of several; messages move meanwhile, on the
  /// job's wire and on those of groups, before each look at it. Throws like `wait`.
  virtual void wait_until(Awaited& awaited, const Deadline& deadline) = 0;

  // For the wires of groups. Peers are ranks in the job. A channel stays until its transfers are complete or
  // this node has left.
  virtual void post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                            std::span<const std::byte> from) = 0;
  virtual void post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                               Combine combine) = 0;

  /// A member's end of a new group. `shared`: what the group's first member got from `share_for_group`. All
  /// members call it, none of them long after the others.
  [[nodiscard]] virtual std::unique_ptr<Wire> make_group(GroupId group, Members members, Rank rank,
                                                         std::uint64_t shared);
  /// Takes memory that only these nodes will share, if they can. Returns its place; 0: there is none.
  [[nodiscard]] virtual std::uint64_t share_for_group(const Members& /*members*/) { return 0; }

  /// From now on these operations move on while this node waits on the wire of the job or of a group; null:
  /// none. They outlive the waits.
  virtual void set_meanwhile(Meanwhile* meanwhile) = 0;

  /// The lowest id that no group of this node has had.
  GroupId next_group = 1;

 protected:
  Channel channel_;

 private:
  const Members members_;
};

}  // namespace trireme::wire
