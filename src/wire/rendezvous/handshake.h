// How the two ends of a new connection prove to each other that they know the job's secret, before anything
// else is read:
//
//     client  HELLO      who I am, whom I want, 32 random bytes
//     server  CHALLENGE  32 random bytes, HMAC("server", hello, those)
//     client  ANSWER     HMAC("client", hello, challenge's version and bytes)
//
// Both proofs contain random bytes of both ends, so a recorded proof is worthless later. The three messages
// have fixed lengths and are the same in all versions of the protocol: ends of different versions can still
// prove themselves, and both then know for certain that their versions differ.
//
// This file only defines the bytes and their meaning; `connector.h` and `acceptor.h` send them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/types.h"
#include "wire/rendezvous/secret.h"

namespace trireme::wire::rendezvous {

/// The version of everything after the handshake. It changes with every change of that.
inline constexpr std::uint32_t kProtocolVersion = 3;

/// More nodes than a job can have.
inline constexpr Rank kMostRanks = 1 << 16;

/// The identity of this node.
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
  Rank size = 0;  ///< of the job, according to the client
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

/// Returns false if this can never become a hello, whatever bytes follow.
[[nodiscard]] bool may_begin_hello(std::span<const std::byte> bytes);
/// The same for a challenge.
[[nodiscard]] bool may_begin_challenge(std::span<const std::byte> bytes);

/// Empty if the bytes are not a hello: another length, beginning or kind, or ranks that do not exist in a job
/// of its size. Its content is only a claim until it is proved.
[[nodiscard]] std::optional<Hello> parse_hello(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<Challenge> parse_challenge(std::span<const std::byte> bytes);

/// The server's challenge, with new random bytes.
[[nodiscard]] Challenge make_challenge(const Secret& secret, const HelloBytes& hello, std::uint32_t version);
/// Whether the server knows the secret and has made the challenge for this hello.
[[nodiscard]] bool proves(const Secret& secret, const HelloBytes& hello, const Challenge& challenge);

[[nodiscard]] AnswerBytes make_answer(const Secret& secret, const HelloBytes& hello,
                                      const Challenge& challenge);
/// The reply of a client to a server that could not prove itself: it proves nothing and reveals nothing, but
/// the server need not wait to find out.
[[nodiscard]] AnswerBytes no_answer();
/// Whether the client knows the secret and has made the answer to this challenge.
[[nodiscard]] bool answers(const Secret& secret, const HelloBytes& hello, const Challenge& challenge,
                           const AnswerBytes& answer);

}  // namespace trireme::wire::rendezvous
