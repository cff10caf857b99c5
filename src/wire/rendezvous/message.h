// What nodes tell each other in a meeting once they have proved themselves: a head of fixed length with kind
// and length, then the rest. Lengths are checked against what the kind may have before anything is waited
// for.
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
    kWelcome = 1,  ///< the server takes the connection; empty
    kRefusal = 2,  ///< it does not, or the meeting has failed: a `Failure`
    kCard = 3,     ///< a node to rank 0: its `Entry`
    kAbsent =
        4,       ///< between a node and rank 0: whom it waits for, as the `Failure` of a deadline that passes
    kTable = 5,  ///< rank 0 to all: every node's `Entry`
    kLinked = 6,  ///< a node to rank 0: it is connected with all; empty
    kGo = 7,      ///< rank 0 to all: everybody is; empty
  };

  Kind kind = Kind::kWelcome;
  std::vector<std::byte> body;
};

inline constexpr std::size_t kMostCardBytes = 1024;

/// What the others know of a node.
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

/// Nothing where the kind is not known, or the body longer than such a letter can be in a job of this size.
[[nodiscard]] std::optional<MessageHead> parse_letter_head(std::span<const std::byte> bytes, Rank size);
[[nodiscard]] std::vector<std::byte> to_bytes(const Message& letter);

[[nodiscard]] Message make_card(const Entry& entry);
[[nodiscard]] Message make_table(std::span<const Entry> entries);
/// Cause, culprit, words and hint; longer words are cut.
[[nodiscard]] Message make_refusal(const Failure& failure);
[[nodiscard]] Message make_absent(const Failure& failure);

/// Nothing where the bytes are not exactly one.
[[nodiscard]] std::optional<Entry> parse_card(std::span<const std::byte> body);
[[nodiscard]] std::optional<std::vector<Entry>> parse_table(std::span<const std::byte> body, Rank size);
/// Of a refusal, or of a letter on who is absent. Its words are fit to be shown, whatever the bytes are.
[[nodiscard]] std::optional<Failure> parse_failure(std::span<const std::byte> body);

}  // namespace trireme::wire::rendezvous
