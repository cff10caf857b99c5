// One direction between two nodes in shared memory: a short queue of messages, and a ring of bytes for those
// that lie in memory of the sender's own. One writer and one reader; no locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/types.h"
#include "wire/job_wire.h"

namespace trireme::wire::shm {

/// A message on offer.
struct Offer {
  static constexpr std::uint64_t kStreamed = UINT64_MAX;

  OpId id = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = kStreamed;  ///< of the data in the job's file, if they lie in a window
  ChannelId channel{};
};

/// The part that both ends see; zero at first. The ring of bytes follows.
struct ChannelLines {
  static constexpr std::size_t kOffers = 8;

  // The sender's line. Release and acquire: who sees a number sees the offers and bytes before it.
  alignas(128) std::atomic<std::uint64_t> offered{0};  // messages
  std::atomic<std::uint64_t> written{0};               // bytes into the ring
  std::array<Offer, kOffers> offers{};
  // The receiver's line, likewise.
  alignas(128) std::atomic<std::uint64_t> taken{0};  // messages
  std::atomic<std::uint64_t> read{0};                // bytes from the ring
};

/// The sender's end.
class ChannelOut {
 public:
  ChannelOut(std::byte* memory, std::size_t ring_bytes);

  /// False when too many are on offer already.
  bool offer(const Offer& offer);
  /// Writes as much of a streamed message as the ring has room for, in the order of the offers. Returns how
  /// much.
  std::size_t write(std::span<const std::byte> rest);
  [[nodiscard]] std::uint64_t offered() const { return offered_; }
  [[nodiscard]] std::uint64_t taken() const { return lines_->taken.load(std::memory_order_acquire); }

 private:
  ChannelLines* lines_;
  std::byte* ring_;
  std::size_t ring_bytes_;
  std::uint64_t offered_ = 0;
  std::uint64_t written_ = 0;
  // What the receiver's line has last said: looking there takes as long as sending a small message, so only
  // a sender that finds no room does.
  std::uint64_t known_taken_ = 0;
  std::uint64_t known_read_ = 0;
};

/// The receiver's end.
class ChannelIn {
 public:
  ChannelIn(std::byte* memory, std::size_t ring_bytes);

  /// The oldest message that is not taken yet.
  [[nodiscard]] const Offer* next() const;
  /// The bytes that are there and lie in one piece, of a streamed message with `rest` bytes to come. All but
  /// the last piece are a multiple of 64 bytes long.
  [[nodiscard]] std::span<const std::byte> readable(std::size_t rest) const;
  /// Gives the room of a piece back.
  void consume(std::size_t bytes);
  /// The message has been taken whole.
  void take();

 private:
  ChannelLines* lines_;
  const std::byte* ring_;
  std::size_t ring_bytes_;
  std::uint64_t taken_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace trireme::wire::shm
