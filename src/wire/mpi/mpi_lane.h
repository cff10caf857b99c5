// Messages of the MPI wire in one direction between this node and one peer.
//
// A message is sent in segments, which both ends cut alike, so that a receiver can add one while the next are
// under way, and so that no message is too large for MPI's int. Segments keep the order in which they were
// posted, as MPI guarantees.
//
// In an exchange a segment's tag says which op it belongs to and whether it is the last. A message with a tag
// of its own keeps that; its last segment is the first that is not full, and may be empty.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "wire/mpi/mpi_library.h"
#include "wire/transfer.h"

namespace trireme::wire::mpi {

class MpiLane {
 public:
  static constexpr std::size_t kSegmentBytes = 256 << 10;  // a multiple of 64, as Combine requires

  /// `rank` is this node's in the job, for errors; `peer` is the peer's among those who make these calls.
  /// With a tag: for messages with this tag alone; else for those of exchanges.
  MpiLane(MpiCalls& mpi, Rank rank, Rank peer, int tag = MpiCalls::kAnyTag)
      : mpi_(mpi), rank_(rank), peer_(peer), tag_(tag) {}

  [[nodiscard]] bool idle() const { return messages_.empty(); }
  /// `data` is where the message is, or where it goes.
  void post(const Transfer& transfer, std::byte* data);
  /// Processes completed segments and continues with the next. Returns true if there were any.
  bool advance();
  /// The oldest transfer of the batch, or of all; null if there is none.
  [[nodiscard]] const Transfer* find(const Batch* batch) const;
  /// Drops everything; see `MpiCalls::drop`.
  void drop() noexcept;

 private:
  // The number of segments under way at once. The receiver of an addition needs a buffer for each, but few
  // are enough: it can work at its own speed as long as the sender never waits for a reply from it.
  static constexpr std::size_t kMostFlying = 64;
  static constexpr std::size_t kMostAdding = 2;
  static_assert(kMostFlying % kMostAdding == 0, "neighbours in the ring of segments have different places");

  struct Message {
    Transfer transfer;
    std::byte* data = nullptr;
    std::size_t posted = 0;  // bytes
    std::size_t done = 0;    // bytes
  };
  struct Segment {
    MpiCalls::Request request = 0;
    std::size_t bytes = 0;
    bool last = false;
  };

  [[nodiscard]] bool is_tagged() const { return tag_ != MpiCalls::kAnyTag; }
  [[nodiscard]] std::byte* scratch(std::size_t slot) {
    return scratch_.data() + slot % kMostAdding * kSegmentBytes;
  }
  [[nodiscard]] std::byte* place_for(const Message& message, std::size_t slot);
  bool post_segments();
  bool post_segment(Message& message);
  bool receive(const Message& message, Segment& segment, int tag, std::byte* place);
  void check(const Message& message, const MpiCalls::Arrival& arrival, std::size_t bytes, int tag) const;
  void take_in_oldest();
  void pop_oldest();
  void complete_message();

  MpiCalls& mpi_;
  Rank rank_;
  Rank peer_;
  int tag_;
  std::vector<Message> messages_;                // outstanding, oldest first
  std::size_t unposted_ = 0;                     // the first message with a segment that is not posted yet
  std::array<Segment, kMostFlying> segments_{};  // a ring
  std::size_t oldest_ = 0;
  std::size_t flying_ = 0;
  std::vector<std::byte> scratch_;  // buffers for segments; empty until something must be added
};

}  // namespace trireme::wire::mpi
