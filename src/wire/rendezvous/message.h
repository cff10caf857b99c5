// The messages that nodes exchange in a meeting after they have proved themselves: a head of fixed length
// with kind and length, then the body. Lengths are checked against the limit of the kind before any byte of
// the body is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "wire/rendezvous/address.h"

namespace trireme::wire::rendezvous {

struct Message {
  enum class Kind : std::uint32_t {
    kWelcome = 1,  ///< the server accepts the connection; empty
    kRefusal = 2,  ///< the server refuses it, or the meeting has failed: a `Failure`
    kCard = 3,     ///< a node to rank 0: its `Entry`
    kAbsent =
        4,       ///< between a node and rank 0: whom it waits for, as the `Failure` of a deadline that passes
    kTable = 5,  ///< rank 0 to all: every node's `Entry`
    kLinked = 6,  ///< a node to rank 0: it is connected with all; empty
    kGo = 7,      ///< rank 0 to all: all nodes are connected; empty
  };

  Kind kind = Kind::kWelcome;
  std::vector<std::byte> body;
};

inline constexpr std::size_t kMostCardBytes = 1024;

/// The information that the others have about a node.
struct Entry {
  Address address;  ///< where it listens
  std::vector<std::byte> card;

  friend bool operator==(const Entry&, const Entry&) = default;
};

struct MessageHead {
  static constexpr std::size_t kBytes = 8;

  Message::Kind kind = Message::Kind::kWelcome;
  std::size_t body_bytes = 0;
};

/// Empty if the kind is unknown, or the body is longer than such a message can be in a job of this size.
[[nodiscard]] std::optional<MessageHead> parse_message_head(std::span<const std::byte> bytes, Rank size);
[[nodiscard]] std::vector<std::byte> to_bytes(const Message& message);

[[nodiscard]] Message make_card(const Entry& entry);
[[nodiscard]] Message make_table(std::span<const Entry> entries);
/// Cause, culprit, text and hint; a long text is cut.
[[nodiscard]] Message make_refusal(const Failure& failure);
[[nodiscard]] Message make_absent(const Failure& failure);

/// Empty if the bytes are not exactly one `Entry`.
[[nodiscard]] std::optional<Entry> parse_card(std::span<const std::byte> body);
[[nodiscard]] std::optional<std::vector<Entry>> parse_table(std::span<const std::byte> body, Rank size);
/// The failure in a refusal, or in a message about absent nodes. Its text is safe to show for any bytes.
[[nodiscard]] std::optional<Failure> parse_failure(std::span<const std::byte> body);

}  // namespace trireme::wire::rendezvous
