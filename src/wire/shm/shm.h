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

/// A message whose bytes lie in a window is read by its receiver where it is; any other goes through a ring
/// of bytes, in pieces. A send is complete when its memory may change: when it was read, or is in the ring.
///
/// The end of the wire tells the others that this node is gone.
class ShmWire final : public Wire {
 public:
  /// One node of the segment's job. Each rank is taken once. Throws `Error` for a rank that the job does not
  /// have.
  ShmWire(std::shared_ptr<Segment> segment, Rank rank);
  ~ShmWire() override;

  [[nodiscard]] WireKind kind() const override { return WireKind::kShm; }
  [[nodiscard]] Rank rank() const override { return neighbours_.rank(); }
  [[nodiscard]] Rank size() const override { return neighbours_.segment().nodes(); }
  [[nodiscard]] Counters counters() const override;
  [[nodiscard]] Windows* windows() override { return &windows_; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;
  void gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                    const Deadline& deadline) override;
  void meet(const Deadline& deadline) override;

  // For a wire that is made of this one and another.
  /// Moves what can be moved now, and looks at nothing else.
  void move();
  /// One of all that is posted in the batch (null: at all), preferably with a peer that has left. It has no
  /// batch if nothing is posted.
  [[nodiscard]] Transfer missing(const Batch* batch) const;
  [[nodiscard]] Presence presence(Rank peer) { return neighbours_.presence(peer); }

 private:
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
  class BatchAwaited;

  void require_here() const;
  bool push(Send& send);
  bool push_stream(Send& send);
  bool pull(Receive& receive);
  bool pull_stream(Receive& receive);
  bool first_of_peer(std::vector<std::uint64_t>& seen, Rank peer);

  Neighbours neighbours_;
  Windows windows_;
  std::vector<ChannelOut> out_;          // by rank
  std::vector<ChannelIn> in_;            // by rank
  std::vector<Send> sends_;              // outstanding, in the order of posting
  std::vector<Receive> receives_;        // likewise
  std::uint64_t turn_ = 0;               // of `move`
  std::vector<std::uint64_t> sent_to_;   // by rank: the last turn in which a send to it was looked at
  std::vector<std::uint64_t> got_from_;  // likewise of receives
  Counters counters_;                    // without what went through windows
};

}  // namespace trireme::wire::shm
