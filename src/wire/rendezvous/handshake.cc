#include "wire/rendezvous/handshake.h"

#include <algorithm>
#include <string_view>

#include "base/little_endian.h"

namespace trireme::wire::rendezvous {
namespace {

constexpr std::string_view kHelloMagic = "TRIREME?";
constexpr std::string_view kChallengeMagic = "TRIREME!";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

bool may_begin(std::span<const std::byte> bytes, std::string_view magic) {
  const std::size_t count = std::min(bytes.size(), magic.size());
  return std::ranges::equal(bytes.first(count), bytes_of(magic).first(count));
}

template <std::size_t kSize>
std::array<std::byte, kSize> array_of(std::span<const std::byte> bytes) {
  std::array<std::byte, kSize> array{};
  std::copy_n(bytes.begin(), std::min(kSize, bytes.size()), array.begin());
  return array;
}

bool is_kind(std::uint32_t kind) {
  return kind >= static_cast<std::uint32_t>(Hello::Kind::kMeet) &&
         kind <= static_cast<std::uint32_t>(Hello::Kind::kControl);
}

// The challenge without its proof.
void put_question(ByteWriter& writer, const Challenge& challenge) {
  writer.put(bytes_of(kChallengeMagic));
  writer.put(challenge.version);
  writer.put(challenge.nonce);
}

// The bytes that are signed. They differ between the two ends, so that neither end's proof can be sent back
// to it.
ByteWriter statement(std::string_view who, const HelloBytes& hello, const Challenge& challenge) {
  ByteWriter writer;
  writer.put(bytes_of(who));
  writer.put(hello);
  put_question(writer, challenge);
  return writer;
}

}  // namespace

HelloBytes to_bytes(const Hello& hello) {
  ByteWriter writer;
  writer.put(bytes_of(kHelloMagic));
  writer.put(hello.version);
  writer.put(static_cast<std::uint32_t>(hello.kind));
  for (const Rank number : {hello.from, hello.to, hello.size}) writer.put(static_cast<std::uint32_t>(number));
  writer.put(hello.nonce);
  return array_of<sizeof(HelloBytes)>(writer.bytes());
}

ChallengeBytes to_bytes(const Challenge& challenge) {
  ByteWriter writer;
  put_question(writer, challenge);
  writer.put(challenge.proof);
  return array_of<sizeof(ChallengeBytes)>(writer.bytes());
}

bool may_begin_hello(std::span<const std::byte> bytes) { return may_begin(bytes, kHelloMagic); }

bool may_begin_challenge(std::span<const std::byte> bytes) { return may_begin(bytes, kChallengeMagic); }

std::optional<Hello> parse_hello(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(HelloBytes) || !may_begin_hello(bytes)) return std::nullopt;
  ByteReader reader(bytes.subspan(kHelloMagic.size()));
  const auto version = reader.get<std::uint32_t>();
  const auto kind = reader.get<std::uint32_t>();
  const auto from = reader.get<std::uint32_t>();
  const auto to = reader.get<std::uint32_t>();
  const auto size = reader.get<std::uint32_t>();
  if (!is_kind(kind) || size > static_cast<std::uint32_t>(kMostRanks) || from >= size || to >= size) {
    return std::nullopt;
  }
  return Hello{version,
               static_cast<Hello::Kind>(kind),
               static_cast<Rank>(from),
               static_cast<Rank>(to),
               static_cast<Rank>(size),
               array_of<sizeof(Secret::Digest)>(reader.get_bytes(sizeof(Secret::Digest)))};
}

std::optional<Challenge> parse_challenge(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(ChallengeBytes) || !may_begin_challenge(bytes)) return std::nullopt;
  ByteReader reader(bytes.subspan(kChallengeMagic.size()));
  Challenge challenge;
  challenge.version = reader.get<std::uint32_t>();
  challenge.nonce = array_of<sizeof(Secret::Digest)>(reader.get_bytes(sizeof(Secret::Digest)));
  challenge.proof = array_of<sizeof(Secret::Digest)>(reader.get_bytes(sizeof(Secret::Digest)));
  return challenge;
}

Challenge make_challenge(const Secret& secret, const HelloBytes& hello, std::uint32_t version) {
  Challenge challenge{version, random_nonce(), {}};
  challenge.proof = secret.sign(statement("server", hello, challenge).bytes());
  return challenge;
}

bool proves(const Secret& secret, const HelloBytes& hello, const Challenge& challenge) {
  return secret.verify(statement("server", hello, challenge).bytes(), challenge.proof);
}

AnswerBytes make_answer(const Secret& secret, const HelloBytes& hello, const Challenge& challenge) {
  return secret.sign(statement("client", hello, challenge).bytes());
}

AnswerBytes no_answer() { return {}; }

bool answers(const Secret& secret, const HelloBytes& hello, const Challenge& challenge,
             const AnswerBytes& answer) {
  return secret.verify(statement("client", hello, challenge).bytes(), answer);
}

}  // namespace trireme::wire::rendezvous
