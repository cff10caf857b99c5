// A test double: a wire with one fault, at a chosen message.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "wire/wire.h"

namespace trireme::wire {

/// The fault, and the send of this node at which it happens (counted from 0 over the life of the wire;
/// messages outside exchanges, with ids below 0, are not affected).
struct Fault {
  enum class Kind {
    kLose,   ///< the message is lost; its sender believes that it was sent, and counts it
    kDelay,  ///< the node sleeps for `pause` before it sends
    kClose,  ///< the node goes away as a process does that ends: the others are told, and here an `Error` is
             ///< thrown
    kStop,   ///< the node falls silent for good: this and all later calls reach nobody, `wait` sleeps until
             ///< its deadline and `pause` more, then throws
  };

  Kind kind = Kind::kLose;
  std::int64_t at_send = 0;
  std::chrono::nanoseconds pause{0};
};

/// Forwards everything to another wire, which must outlive it, except for the one fault.
class FaultyWire : public Wire {
 public:
  FaultyWire(Wire& inner, const Fault& fault) : inner_(inner), fault_(fault) {}

  [[nodiscard]] WireKind kind() const override { return inner_.kind(); }
  [[nodiscard]] Rank rank() const override { return inner_.rank(); }
  [[nodiscard]] const Members& members() const override { return inner_.members(); }
  [[nodiscard]] JobWire& job() override { return inner_.job(); }
  [[nodiscard]] GroupId group() const override { return inner_.group(); }
  [[nodiscard]] Counters counters() const override;

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  /// Forwarded even by a node that has stopped: its posted transfers must be withdrawn before their memory is
  /// freed.
  void leave(const Failure& reason) noexcept override { inner_.leave(reason); }

 private:
  [[nodiscard]] Failure failure_at(Rank peer, OpId id) const;

  Wire& inner_;
  const Fault fault_;
  std::int64_t sends_ = 0;          // posted so far
  Counters lost_;                   // counted only by the sender
  std::optional<Failure> stopped_;  // set: stopped since then
};

}  // namespace trireme::wire
