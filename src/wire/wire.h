// Moves bytes between nodes. One `Wire` is one node's end of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/deadline.h"
#include "base/error.h"
#include "base/types.h"
#include "wire/members.h"
#include "wire/wire_kind.h"

namespace trireme::wire {

/// Processes bytes that arrived: a plain copy to their place, or an addition to what is there. A wire may
/// pass a message in several pieces, in order; the length of each but the last is a multiple of 64 bytes.
using Combine = void (*)(std::byte* into, const std::byte* from, std::size_t bytes);

/// The `Combine` that copies. Used for all large copies, because `memcpy` is slow for some. `from` may be
/// null if `bytes` is 0.
void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes);

/// The transfers that arrived whole. Each end counts a transfer once, when it is complete.
struct Counters {
  std::int64_t sent_messages = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t received_messages = 0;
  std::int64_t received_bytes = 0;

  Counters& operator+=(const Counters& more);
  Counters& operator-=(const Counters& less);
  friend bool operator==(const Counters&, const Counters&) = default;
};

/// Transfers that were posted together and are waited for together: one step of one exchange. The caller owns
/// it and keeps it until it is complete or a call of the wire has thrown. (The memory of the transfers must
/// stay valid until the batch is complete or the wire was left.)
struct Batch {
  std::int64_t outstanding = 0;  ///< changed only by the wire of the posting node, in that node's thread

  [[nodiscard]] bool complete() const { return outstanding == 0; }
};

namespace shm {
class Windows;
}

class JobWire;

/// 0 is the job. Two groups that have a node in common have different ids.
using GroupId = std::uint32_t;

/// A wire connects all nodes of a job, or those of a group (`split` in wire/group_wire.h). All calls of the
/// wires of one node come from one thread at a time. After a call has thrown, only `leave` may be called.
class Wire {
 public:
  virtual ~Wire() = default;
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  [[nodiscard]] virtual WireKind kind() const = 0;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual const Members& members() const = 0;
  [[nodiscard]] Rank size() const { return members().size(); }
  /// The wire of all nodes of the job; it outlives those of groups.
  [[nodiscard]] virtual JobWire& job() = 0;
  [[nodiscard]] virtual GroupId group() const = 0;

  /// Returns at once. Until the batch is complete, the caller does not write `from`, and neither reads nor
  /// writes `into`. Outstanding transfers between the same two nodes in the same direction have different
  /// ids, and both ends post them in the same order.
  virtual void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) = 0;
  virtual void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) = 0;

  /// Moves what can be moved now, without blocking. Throws `Error` if a node that this node waits for is
  /// lost.
  virtual void progress() = 0;

  /// Makes progress until the batch is complete. Throws `Error` with peer and op id if the deadline passes or
  /// the peer is lost.
  virtual void wait(const Batch& batch, const Deadline& deadline) = 0;

  /// Withdraws all posted transfers, so that their memory may be freed, and tells the others that this node
  /// is gone and why: whoever leaves one group has left the job. All nodes hear the first reason given. Never
  /// throws; nothing may be posted afterwards. Leaving again does nothing. Only for failures: a node that has
  /// finished just stops calling.
  virtual void leave(const Failure& reason) noexcept = 0;

  /// Only of this wire: messages of groups do not count for the job.
  [[nodiscard]] virtual Counters counters() const = 0;

  // Collective operations outside of any exchange: `share_notes` and `barrier` (wire/notes.h) call these. The
  // default implementations use messages with ids below 0; a wire with a faster way overrides them.
  /// Fills in every node's note. `notes` holds `length` bytes for each node, by rank; this node's own are
  /// already there.
  virtual void gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                            const Deadline& deadline);
  /// Returns when all nodes have called it.
  virtual void meet(const Deadline& deadline);

  /// Memory that all nodes of this wire can see. Null: this wire has none.
  [[nodiscard]] virtual shm::Windows* windows() { return nullptr; }
};

}  // namespace trireme::wire
