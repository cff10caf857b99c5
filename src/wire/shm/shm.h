// The wire between nodes of one host through shared memory: processes, or threads.
#pragma once

#include <memory>
#include <vector>

#include "wire/shm/channel.h"
#include "wire/shm/neighbours.h"
#include "wire/shm/segment.h"
#include "wire/shm/windows.h"
#include "wire/transfer.h"
#include "wire/wire.h"

namespace trireme::wire::shm {

/// A large message whose bytes lie in a window is read by its receiver where it is; any other goes through a
/// ring of bytes, in pieces. A send is complete when its memory may change: when it was read, or is in the
/// ring.
///
/// The end of the wire tells the others that this node is gone.
class ShmWire final : public JobWire, private Traffic {
 public:
  /// Up to this size a message in a window goes through the ring, too: copying it is quicker than waiting for
  /// the receiver to read it, above all where nodes share cores.
  static constexpr std::size_t kMostCopied = 4096;

  /// One node of the segment's job. Each rank is taken once. Throws `Error` for a rank that the job does not
  /// have.
  ShmWire(const std::shared_ptr<Segment>& segment, Rank rank);
  ~ShmWire() override;

  [[nodiscard]] WireKind kind() const override { return WireKind::kShm; }
  [[nodiscard]] Rank rank() const override { return neighbours_.rank(); }
  [[nodiscard]] Counters counters() const override;
  [[nodiscard]] Windows* windows() override { return &windows_; }

  void post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                    std::span<const std::byte> from) override;
  void post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                       Combine combine) override;
  [[nodiscard]] std::unique_ptr<Wire> make_group(GroupId group, Members members, Rank rank,
                                                 std::uint64_t shared) override;
  [[nodiscard]] std::uint64_t share_for_group(const Members& members) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void wait_until(Awaited& awaited, const Deadline& deadline) override { wait_moving(awaited, deadline); }
  void leave(const Failure& reason) noexcept override;
  void set_meanwhile(Meanwhile* meanwhile) override { neighbours_.set_meanwhile(meanwhile); }
  void gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                    const Deadline& deadline) override;
  void meet(const Deadline& deadline) override;

  // For a wire that is made of this one and another.
  /// A group of `job`, all of whose members share this memory.
  [[nodiscard]] std::unique_ptr<Wire> make_group_of(JobWire& job, GroupId group, const Members& members,
                                                    Rank rank, std::uint64_t shared);
  /// Moves what can be moved now, and looks at nothing else.
  void move();
  /// One of all that is posted in the batch (null: at all), preferably with a peer that has left. It has no
  /// batch if nothing is posted.
  [[nodiscard]] Transfer missing(const Batch* batch) const;
  [[nodiscard]] Presence presence(Rank peer) { return neighbours_.presence(peer); }
  void tell_waits_for(Rank peer) { neighbours_.tell_waits_for(peer); }
  /// Messages of both wires move on while this node waits for ticks.
  void set_traffic(Traffic& both) { neighbours_.set_traffic(both); }
  [[nodiscard]] bool is_posted() const override { return !sends_.empty() || !receives_.empty(); }

 private:
  class Group;

  struct Send {
    Transfer transfer;
    const std::byte* from = nullptr;
    std::uint64_t offset = Offer::kStreamed;  // of data in a window
    std::uint64_t number = 0;                 // in its channel, from 1; 0: not offered yet
    std::size_t written = 0;                  // of data that go through the ring
  };
  struct Receive {
    Transfer transfer;
    std::size_t read = 0;
  };
  // A message whose receive was not posted when it was in the way of another channel's.
  struct Aside {
    Rank from = 0;
    Offer offer;
    std::vector<std::byte> bytes;

    [[nodiscard]] bool complete() const { return bytes.size() == offer.bytes; }
  };
  class BatchAwaited;
  class TickAwaited;

  void wait_moving(Awaited& awaited, const Deadline& deadline) override;
  void require_here() const;
  bool push(Send& send);
  bool push_stream(Send& send);
  bool look_at(Receive& receive);
  bool pull(Receive& receive);
  bool pull_stream(Receive& receive);
  void check(const Transfer& receive, const Offer& offer) const;
  [[nodiscard]] const std::byte* in_a_window(const Offer& offer) const;
  bool take_aside(const Transfer& receive, std::vector<Aside>::iterator aside);
  bool put_aside(const Transfer& waiting);

  Neighbours neighbours_;
  Windows windows_;
  std::vector<const Windows*> all_windows_;  // of the job and of its groups
  std::vector<ChannelOut> out_;              // by rank
  std::vector<ChannelIn> in_;                // by rank
  std::vector<Send> sends_;                  // outstanding, in the order of posting
  std::vector<Receive> receives_;            // likewise
  std::vector<Aside> asides_;            // in the order of arrival; of each peer only the last is incomplete
  std::uint64_t turn_ = 0;               // of `move`
  std::vector<std::uint64_t> sent_to_;   // by rank: the last turn in which a send to it was looked at
  std::vector<std::uint64_t> got_from_;  // likewise of receives
  std::vector<Transfer> in_the_way_;     // receives of this turn before which another channel's message comes
};

}  // namespace trireme::wire::shm
