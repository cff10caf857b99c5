// Messages with a tag between two nodes of a wire, beside its exchanges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/types.h"
#include "wire/job_wire.h"
#include "wire/wire.h"

namespace trireme::wire {

/// One node's end, on the wire of a job or of a group, which outlives it. Make one for each wire.
///
/// Each tag has a channel: messages between two nodes with the same tag keep their order; those with other
/// tags, of other groups, and exchanges neither get mixed up with them nor wait for them. They count here,
/// not as messages of the wire, so that exchanges may run at the same time. Whatever makes progress on the
/// wires of this node moves them.
class PointToPoint {
 public:
  /// MPI guarantees 15 bits of a tag; one of them is kept for the wire.
  static constexpr int kMostTag = 16383;

  explicit PointToPoint(Wire& wire) : wire_(wire) {}
  PointToPoint(const PointToPoint&) = delete;
  PointToPoint& operator=(const PointToPoint&) = delete;

  /// Throws `Error` (bad input), and nothing has happened, unless `peer` is another node of this wire and
  /// `tag` one from 0 to `kMostTag`. The calls below expect such.
  void check(Rank peer, int tag) const;

  /// Like those of a `Wire`. A transfer stays in its batch until `Wire::wait` or `Wire::progress` of any wire
  /// of this node has completed it; this stays as long. `kind` says what the bytes are; where the two ends
  /// differ in it, the receive fails, but with MPI, whose messages have no room for it.
  void post_send(Batch& batch, Rank to, int tag, std::span<const std::byte> from, std::uint8_t kind = 0);
  void post_receive(Batch& batch, Rank from, int tag, std::span<std::byte> into, std::uint8_t kind = 0);

  /// Of all tags.
  [[nodiscard]] Counters counters() const;

 private:
  struct Tag {
    Channel channel;
    // By rank: how many messages were posted. Both ends count, so this and the kind are a message's id.
    std::vector<OpId> sends;
    std::vector<OpId> receives;
  };

  [[nodiscard]] Tag& at(int tag);

  Wire& wire_;
  std::map<int, Tag> tags_;  // those in use: channels stay where they are
};

}  // namespace trireme::wire
