// One nonblocking connection on which both ends speak in turn. Never reads more than the expected bytes, so
// that later bytes are left for the code that takes the connection over.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/system/fd.h"
#include "base/types.h"
#include "wire/rendezvous/message.h"
#include "wire/rendezvous/poll_set.h"

namespace trireme::wire::rendezvous {

class Conversation {
 public:
  Conversation() = default;
  explicit Conversation(Fd socket) : socket_(std::move(socket)) {}

  [[nodiscard]] const Fd& socket() const { return socket_; }
  void watch(PollSet& set) const;
  [[nodiscard]] bool is_ready(const PollSet& set) const { return set.is_ready(socket_.get()); }

  /// Sends as much as possible at once, and the rest in the next calls of `move`.
  void say(std::span<const std::byte> bytes);
  void say(const Message& message) { say(to_bytes(message)); }
  [[nodiscard]] bool has_said_all() const { return said_ == to_say_.size(); }

  /// Reads until this many bytes are there, and no more. Returns true when they are; `heard` has them until
  /// `forget`.
  bool hear(std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> heard() const { return heard_; }
  void forget() { heard_.clear(); }

  /// The next message, for a job of this size, when it has arrived whole. Throws `Error` (mismatch) if the
  /// bytes are not a message.
  std::optional<Message> hear_message(Rank size);

  /// Sends bytes that still wait.
  void move();

  /// The other end is gone; nothing can be sent or received any more.
  [[nodiscard]] bool is_over() const { return over_; }
  /// Nothing more will be sent; bytes from the other end can still be received.
  void close_own_end();

  /// All bytes must have been sent.
  [[nodiscard]] Fd release() { return std::move(socket_); }

 private:
  Fd socket_;
  std::vector<std::byte> to_say_;
  std::size_t said_ = 0;
  std::vector<std::byte> heard_;
  bool over_ = false;
};

/// Sends all of them the same last message and reads until they close, so that none loses it: closing a
/// connection with unread bytes discards what was sent. Takes half a second at most.
void say_goodbye(std::span<Conversation* const> all, const Message& message) noexcept;

}  // namespace trireme::wire::rendezvous
