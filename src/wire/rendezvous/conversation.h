// One nonblocking connection on which both ends speak in turn. Never reads more than is waited for, so that
// what comes after it is left to whoever takes the connection over.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/fd.h"
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

  /// Sends what goes at once; the rest with the next calls of `move`.
  void say(std::span<const std::byte> bytes);
  void say(const Message& letter) { say(to_bytes(letter)); }
  [[nodiscard]] bool has_said_all() const { return said_ == to_say_.size(); }

  /// Reads until this many bytes are there, not further. True: they are, as `heard`, until `forget`.
  bool hear(std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> heard() const { return heard_; }
  void forget() { heard_.clear(); }

  /// The next letter of a job of this size, when it is there as a whole. Throws `Error` (mismatch) for what
  /// is none.
  std::optional<Message> hear_letter(Rank size);

  /// Sends what still waits.
  void move();

  /// The other end is gone; nothing more comes or goes.
  [[nodiscard]] bool is_over() const { return over_; }
  /// Nothing more is said; the other end may still be heard.
  void close_own_end();

  /// Nothing may wait to be said.
  [[nodiscard]] Fd release() { return std::move(socket_); }

 private:
  Fd socket_;
  std::vector<std::byte> to_say_;
  std::size_t said_ = 0;
  std::vector<std::byte> heard_;
  bool over_ = false;
};

/// Tells all of them the same last thing and hears them out, so that none loses it: a connection that is
/// closed with something unread in it takes back what was sent. Half a second at most.
void say_goodbye(std::span<Conversation* const> all, const Message& letter) noexcept;

}  // namespace trireme::wire::rendezvous
