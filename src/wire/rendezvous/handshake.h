// How two ends of a new connection prove to each other that they know the job's secret, before anything else
// is read:
//
//     client  HELLO      who I am, whom I want, 32 random bytes
//     server  CHALLENGE  32 random bytes, HMAC("server", hello, those)
//     client  ANSWER     HMAC("client", hello, challenge's version and bytes)
//
// Random bytes of both ends are in both proofs, so that nothing heard earlier proves anything. The three have
// fixed lengths and are the same in all versions of the protocol: ends of different versions can still prove
// themselves, and know for certain, both, that they differ.
//
// Here are only bytes and what they mean; `connector.h` and `acceptor.h` send them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/types.h"
#include "wire/rendezvous/secret.h"

namespace trireme::wire::rendezvous {

/// Of all that follows the handshake. Changes with every change of it.
inline constexpr std::uint32_t kProtocolVersion = 2;

/// More nodes than a job can have.
inline constexpr Rank kMostRanks = 1 << 16;

/// Who this node is.
struct Self {
  Rank rank = 0;
  Rank size = 1;
  std::uint32_t version = kProtocolVersion;
  const Secret* secret = nullptr;
};

struct Hello {
  enum class Kind : std::uint32_t { kMeet = 1, kData = 2, kControl = 3 };

  std::uint32_t version = kProtocolVersion;
  Kind kind = Kind::kMeet;
  Rank from = 0;
  Rank to = 0;
  Rank size = 0;  ///< of the job, as the client knows it
  Secret::Digest nonce{};
};

struct Challenge {
  std::uint32_t version = kProtocolVersion;
  Secret::Digest nonce{};
  Secret::Digest proof{};
};

using HelloBytes = std::array<std::byte, 8 + 5 * 4 + 32>;
using ChallengeBytes = std::array<std::byte, 8 + 4 + 32 + 32>;
using AnswerBytes = Secret::Digest;

[[nodiscard]] HelloBytes to_bytes(const Hello& hello);
[[nodiscard]] ChallengeBytes to_bytes(const Challenge& challenge);

/// False: whatever follows, this is no hello.
[[nodiscard]] bool may_begin_hello(std::span<const std::byte> bytes);
/// Likewise.
[[nodiscard]] bool may_begin_challenge(std::span<const std::byte> bytes);

/// Nothing where the bytes are none: another length, beginning or kind, or ranks that a job of its size does
/// not have. What is in it is a claim until it is proved.
[[nodiscard]] std::optional<Hello> parse_hello(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<Challenge> parse_challenge(std::span<const std::byte> bytes);

/// The server's, with new random bytes.
[[nodiscard]] Challenge make_challenge(const Secret& secret, const HelloBytes& hello, std::uint32_t version);
/// The server knows the secret, and has made the challenge for this hello.
[[nodiscard]] bool proves(const Secret& secret, const HelloBytes& hello, const Challenge& challenge);

[[nodiscard]] AnswerBytes make_answer(const Secret& secret, const HelloBytes& hello,
                                      const Challenge& challenge);
/// What a client says to a server that could not prove itself: proves nothing, and gives nothing away, but
/// the server need not wait to know.
[[nodiscard]] AnswerBytes no_answer();
/// The client knows the secret, and has made the answer to this challenge.
[[nodiscard]] bool answers(const Secret& secret, const HelloBytes& hello, const Challenge& challenge,
                           const AnswerBytes& answer);

}  // namespace trireme::wire::rendezvous
