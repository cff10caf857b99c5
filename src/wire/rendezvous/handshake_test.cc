// The bytes that the two ends exchange before they trust each other.
#include "wire/rendezvous/handshake.h"

#include <gtest/gtest.h>

namespace trireme::wire::rendezvous {
namespace {

const Secret& job_secret() {
  static const Secret secret = Secret::of("a secret of the job", "a test");
  return secret;
}

Hello some_hello() { return {kProtocolVersion, Hello::Kind::kData, 3, 1, 8, random_nonce()}; }

HelloBytes with_number(HelloBytes bytes, std::size_t at, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::byte>(number >> (8 * i));
  return bytes;
}

constexpr std::size_t kKindAt = 12;
constexpr std::size_t kFromAt = 16;
constexpr std::size_t kToAt = 20;
constexpr std::size_t kSizeAt = 24;

TEST(AHello, IsReadAsItWasWritten) {
  const Hello hello = some_hello();
  const std::optional<Hello> read = parse_hello(to_bytes(hello));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, hello.version);
  EXPECT_EQ(read->kind, hello.kind);
  EXPECT_EQ(read->from, hello.from);
  EXPECT_EQ(read->to, hello.to);
  EXPECT_EQ(read->size, hello.size);
  EXPECT_EQ(read->nonce, hello.nonce);
}

TEST(AHello, HasItsLowestBytesFirst) {
  const HelloBytes bytes = to_bytes(Hello{0x01020304, Hello::Kind::kMeet, 1, 0, 2, {}});
  EXPECT_EQ(bytes[8], std::byte{4});
  EXPECT_EQ(bytes[11], std::byte{1});
}

TEST(AHello, OfAnotherLengthIsNone) {
  const HelloBytes bytes = to_bytes(some_hello());
  std::vector<std::byte> longer(bytes.begin(), bytes.end());
  longer.push_back({});
  EXPECT_FALSE(parse_hello(longer));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_hello(std::span(bytes).first(size))) << size;
  }
}

TEST(AHello, OfAnotherVersionIsStillRead) {
  Hello hello = some_hello();
  hello.version = 77;
  ASSERT_TRUE(parse_hello(to_bytes(hello)));
  EXPECT_EQ(parse_hello(to_bytes(hello))->version, 77U);
}

TEST(AHello, HasOnlyRanksThatItsJobHas) {
  const HelloBytes bytes = to_bytes(some_hello());
  EXPECT_TRUE(parse_hello(with_number(bytes, kFromAt, 7)));
  EXPECT_FALSE(parse_hello(with_number(bytes, kFromAt, 8)));
  EXPECT_FALSE(parse_hello(with_number(bytes, kToAt, 8)));
  EXPECT_FALSE(parse_hello(with_number(bytes, kFromAt, 0xffffffff)));
  EXPECT_FALSE(parse_hello(with_number(bytes, kSizeAt, 0)));
  EXPECT_FALSE(parse_hello(with_number(bytes, kSizeAt, 0xffffffff)));
}

TEST(AHello, HasAKindThatIsKnown) {
  EXPECT_FALSE(parse_hello(with_number(to_bytes(some_hello()), kKindAt, 0)));
  EXPECT_FALSE(parse_hello(with_number(to_bytes(some_hello()), kKindAt, 4)));
}

TEST(AHello, IsRecognizedByItsFirstBytes) {
  const HelloBytes bytes = to_bytes(some_hello());
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_TRUE(may_begin_hello(std::span(bytes).first(size)));
  }
  const std::string_view http = "GET / HTTP/1.1";
  EXPECT_FALSE(may_begin_hello(std::as_bytes(std::span(http))));
}

TEST(AChallenge, IsReadAsItWasWritten) {
  const Challenge challenge = make_challenge(job_secret(), to_bytes(some_hello()), 5);
  const std::optional<Challenge> read = parse_challenge(to_bytes(challenge));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, 5U);
  EXPECT_EQ(read->nonce, challenge.nonce);
  EXPECT_EQ(read->proof, challenge.proof);
}

TEST(AChallenge, IsNoHelloAndTheOtherWayRound) {
  const HelloBytes hello = to_bytes(some_hello());
  EXPECT_FALSE(may_begin_challenge(hello));
  EXPECT_FALSE(may_begin_hello(to_bytes(make_challenge(job_secret(), hello, 1))));
}

TEST(AChallenge, ProvesTheServerForThisHelloOnly) {
  const HelloBytes hello = to_bytes(some_hello());
  const Challenge challenge = make_challenge(job_secret(), hello, 1);
  EXPECT_TRUE(proves(job_secret(), hello, challenge));
  EXPECT_FALSE(proves(job_secret(), to_bytes(some_hello()), challenge));
  EXPECT_FALSE(proves(Secret::random(), hello, challenge));
}

TEST(AChallenge, ProvesItsVersion) {
  const HelloBytes hello = to_bytes(some_hello());
  Challenge challenge = make_challenge(job_secret(), hello, 1);
  challenge.version = 2;
  EXPECT_FALSE(proves(job_secret(), hello, challenge));
}

TEST(AChallenge, IsNeverTheSame) {
  const HelloBytes hello = to_bytes(some_hello());
  EXPECT_NE(make_challenge(job_secret(), hello, 1).nonce, make_challenge(job_secret(), hello, 1).nonce);
}

TEST(AnAnswer, ProvesTheClient) {
  const HelloBytes hello = to_bytes(some_hello());
  const Challenge challenge = make_challenge(job_secret(), hello, 1);
  EXPECT_TRUE(answers(job_secret(), hello, challenge, make_answer(job_secret(), hello, challenge)));
  EXPECT_FALSE(answers(job_secret(), hello, challenge, make_answer(Secret::random(), hello, challenge)));
  EXPECT_FALSE(answers(job_secret(), hello, challenge, no_answer()));
}

TEST(AnAnswer, DoesNotFitTheNextChallenge) {
  const HelloBytes hello = to_bytes(some_hello());
  const AnswerBytes heard = make_answer(job_secret(), hello, make_challenge(job_secret(), hello, 1));
  EXPECT_FALSE(answers(job_secret(), hello, make_challenge(job_secret(), hello, 1), heard));
}

TEST(AnAnswer, IsNotTheServersProofGivenBack) {
  const HelloBytes hello = to_bytes(some_hello());
  const Challenge challenge = make_challenge(job_secret(), hello, 1);
  EXPECT_FALSE(answers(job_secret(), hello, challenge, challenge.proof));
}

TEST(AnAnswer, HoldsForOneRankOnly) {
  const HelloBytes hello = to_bytes(some_hello());
  const Challenge challenge = make_challenge(job_secret(), hello, 1);
  EXPECT_FALSE(answers(job_secret(), with_number(hello, kFromAt, 4), challenge,
                       make_answer(job_secret(), hello, challenge)));
}

}  // namespace
}  // namespace trireme::wire::rendezvous
