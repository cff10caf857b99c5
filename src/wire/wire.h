// Moves bytes between nodes. One `Wire` is one node's end of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/deadline.h"
#include "base/error.h"
#include "base/types.h"
#include "wire/wire_kind.h"

namespace trireme::wire {

/// Takes bytes that arrived into their place: a plain copy, or an addition onto what is there. A wire may
/// hand over a message in several pieces, in order; each but the last is a multiple of 64 bytes long.
using Combine = void (*)(std::byte* into, const std::byte* from, std::size_t bytes);

/// The `Combine` that copies; for all large copies, because `memcpy` is slow for some. `from` may be null if
/// `bytes` is 0.
void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes);

/// What went over the wire and arrived whole. A transfer is counted by each end once, when it is complete.
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
/// it and keeps it until it is complete or a call of the wire has thrown. (The bytes it moves stay until it
/// is complete or the wire was left.)
struct Batch {
  std::int64_t outstanding = 0;  ///< changed by the wire of the node that posted, in that node's thread only

  [[nodiscard]] bool complete() const { return outstanding == 0; }
};

namespace shm {
class Windows;
}

/// All calls of one `Wire` come from one thread at a time. A call that throws leaves the wire fit for `leave`
/// alone.
class Wire {
 public:
  virtual ~Wire() = default;
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  [[nodiscard]] virtual WireKind kind() const = 0;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual Rank size() const = 0;

  /// Returns at once. `from` is not written, `into` neither read nor written, by the caller until the batch
  /// is complete. Ids of transfers between the same two nodes in the same direction differ while they are
  /// outstanding, and both ends post these transfers in the same order.
  virtual void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) = 0;
  virtual void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) = 0;

  /// Moves what can be moved now, without blocking. Throws `Error` when a node that is waited for is lost.
  virtual void progress() = 0;

  /// Makes progress until the batch is complete. Throws `Error` with peer and op id when the deadline passes
  /// or the peer is lost.
  virtual void wait(const Batch& batch, const Deadline& deadline) = 0;

  /// Takes back what is still posted, so that its memory may go, and tells the others that this node is gone
  /// and why. The first reason told is the one that everybody hears. Never throws; nothing may be posted
  /// afterwards. Leaving again does nothing. For failures only: a node that has finished just stops calling.
  virtual void leave(const Failure& reason) noexcept = 0;

  [[nodiscard]] virtual Counters counters() const = 0;

  // What nodes do together outside of any exchange: see `share_notes` and `barrier` (wire/notes.h), which
  // call these. Here by messages with ids below 0; a wire that knows a faster way takes it.
  /// Fills in everybody's note. `notes` holds `length` bytes for each node, by rank; those of this node are
  /// there.
  virtual void gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                            const Deadline& deadline);
  /// Returns when all nodes have called it.
  virtual void meet(const Deadline& deadline);

  /// Memory that all nodes of this wire can see. Null: this wire has none.
  [[nodiscard]] virtual shm::Windows* windows() { return nullptr; }
};

}  // namespace trireme::wire
