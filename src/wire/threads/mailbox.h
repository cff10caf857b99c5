// One node of an in-process fabric hears from the others here: messages offered to it, and receipts for its
// own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "wire/job_wire.h"

namespace trireme::wire::threads {

/// A message on offer. The bytes stay the sender's; they hold still until the receipt is there or it is
/// withdrawn.
struct PostedMessage {
  Rank from = 0;
  ChannelId channel{};
  OpId id = 0;
  std::span<const std::byte> bytes;
};

/// "I have taken what you sent me under this id."
struct Receipt {
  Rank by = 0;
  ChannelId channel{};
  OpId id = 0;
};

/// The owner is one thread; all others may deliver, withdraw, acknowledge and ring. No call holds the lock of
/// more than one mailbox, so two nodes cannot lock each other out. Aligned so that no two share a cache line.
class alignas(128) Mailbox {
 public:
  using Clock = std::chrono::steady_clock;

  /// Memory for the usual traffic, so that none is taken while it flows.
  void reserve(std::size_t messages);

  // For the others.
  void deliver(const PostedMessage& message);
  void acknowledge(const Receipt& receipt);
  /// Wakes the owner, to look again at what is not in the mailbox.
  void ring();
  /// Takes a message back. False: the owner has taken it, and a receipt will come.
  [[nodiscard]] bool withdraw(Rank from, ChannelId channel, OpId id);

  // For the owner.
  /// Takes the first message that `wants(message)`; it may throw, and then the message stays. The caller owes
  /// a receipt.
  template <typename Wants>
  [[nodiscard]] std::optional<PostedMessage> take(Wants wants);
  /// Swaps the receipts that have come for an empty list.
  void collect(std::vector<Receipt>& empty);
  /// Changes with every event. Read before looking, it tells whether anything happened since.
  [[nodiscard]] std::uint64_t bell() const { return bell_.load(std::memory_order_acquire); }
  /// Blocks until the bell is no longer `seen` (true) or the time has come (false).
  bool sleep_until(std::uint64_t seen, Clock::time_point time);

 private:
  void ring_locked();

  std::mutex mutex_;
  std::condition_variable rung_;
  std::vector<PostedMessage> posted_;  // guarded by mutex_, in the order of arrival
  std::vector<Receipt> receipts_;      // guarded by mutex_
  bool asleep_ = false;                // guarded by mutex_: spares a wake-up that nobody needs
  // Written under mutex_, read without it. Release and acquire: who sees the ring sees what was done before
  // it.
  std::atomic<std::uint64_t> bell_{0};
};

template <typename Wants>
std::optional<PostedMessage> Mailbox::take(Wants wants) {
  const std::lock_guard lock(mutex_);
  for (auto message = posted_.begin(); message != posted_.end(); ++message) {
    if (!wants(*message)) continue;
    const PostedMessage taken = *message;
    posted_.erase(message);
    return taken;
  }
  return std::nullopt;
}

}  // namespace trireme::wire::threads
