#include "wire/tcp/frame.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace trireme::wire::tcp {
namespace {

Failure full_failure() {
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.what = "rank 2 has not sent";
  failure.rank = 1;
  failure.peer = 2;
  failure.culprit = 3;
  failure.op_id = -1;
  failure.op = "step 3 of ring";
  failure.elapsed = std::chrono::milliseconds(1500);
  failure.hint = "find out why";
  return failure;
}

std::vector<Word> read_all(std::span<const std::byte> bytes) {
  WordReader reader;
  std::vector<Word> words;
  reader.take(bytes, words);
  return words;
}

void append(std::vector<std::byte>& bytes, const Word& word) {
  const std::vector<std::byte> more = word.encode();
  bytes.insert(bytes.end(), more.begin(), more.end());
}

TEST(FrameHead, IsReadAsItWasWritten) {
  for (const OpId id : {OpId{0}, OpId{-2}, OpId{1} << 40, INT64_MAX, INT64_MIN}) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 63, UINT64_MAX}) {
      const FrameHead head = FrameHead::decode(FrameHead{id, bytes, {0xfedcba98, 0x89abcdef}}.encode());
      EXPECT_EQ(head.id, id);
      EXPECT_EQ(head.bytes, bytes);
      EXPECT_EQ(head.channel, (ChannelId{0xfedcba98, 0x89abcdef}));
    }
  }
}

TEST(FrameHead, IsLittleEndian) {
  const auto bytes = FrameHead{.id = 0x0102, .bytes = 0x0304}.encode();
  EXPECT_EQ(bytes[0], std::byte{2});
  EXPECT_EQ(bytes[1], std::byte{1});
  EXPECT_EQ(bytes[8], std::byte{4});
  EXPECT_EQ(bytes[9], std::byte{3});
}

TEST(Word, OfAFailureKeepsAllThatIsKnown) {
  const std::vector<Word> words =
      read_all(Word{.kind = Word::Kind::kFails, .failure = full_failure()}.encode());
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0].kind, Word::Kind::kFails);
  EXPECT_EQ(to_string(words[0].failure), to_string(full_failure()));
  EXPECT_EQ(words[0].failure.culprit, 3);
  EXPECT_EQ(words[0].failure.op_id, -1);
  EXPECT_EQ(words[0].failure.elapsed, std::chrono::milliseconds(1500));
}

TEST(Word, OfAFailureNeedNotKnowAnything) {
  const std::vector<Word> words = read_all(Word{Word::Kind::kFails}.encode());
  ASSERT_EQ(words.size(), 1U);
  EXPECT_FALSE(words[0].failure.rank);
  EXPECT_FALSE(words[0].failure.culprit);
  EXPECT_FALSE(words[0].failure.elapsed);
}

TEST(Word, IsCutWhenItsTextsAreLong) {
  Failure failure = full_failure();
  failure.what = failure.op = failure.hint = std::string(100'000, 'x');
  const std::vector<std::byte> bytes = Word{.kind = Word::Kind::kFails, .failure = failure}.encode();
  EXPECT_LE(bytes.size(), WordReader::kMostBytes);
  EXPECT_EQ(read_all(bytes).size(), 1U);
}

TEST(Words, ArePutTogetherFromAnyPieces) {
  std::vector<std::byte> bytes;
  append(bytes, {.kind = Word::Kind::kWaits, .peer = 7});
  append(bytes, {.kind = Word::Kind::kFails, .failure = full_failure()});
  append(bytes, {.kind = Word::Kind::kWaits, .peer = -1});
  append(bytes, {.kind = Word::Kind::kBye});
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    WordReader reader;
    std::vector<Word> words;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.take(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)), words);
    }
    ASSERT_EQ(words.size(), 4U) << piece;
    EXPECT_EQ(words[0].peer, 7);
    EXPECT_EQ(words[2].peer, -1);
    EXPECT_EQ(words[3].kind, Word::Kind::kBye);
  }
}

TEST(Words, ThatMakeNoSenseAreRefused) {
  const auto is_refused = [](std::vector<int> numbers) {
    std::vector<std::byte> bytes;
    for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
    EXPECT_THROW((void)read_all(bytes), Error);
  };
  is_refused({0, 0, 0, 0});                               // no kind
  is_refused({255, 255, 255, 255});                       // far too long
  is_refused({1, 0, 0, 0, 9});                            // unknown kind
  is_refused({1, 0, 0, 0, 1});                            // waits for nothing
  is_refused({2, 0, 0, 0, 2, 0});                         // something after its end
  is_refused({9, 0, 0, 0, 1, 255, 0, 0, 0, 0, 1, 0, 0});  // no rank
  is_refused({2, 0, 0, 0, 3, 77});                        // unknown cause
}

TEST(Words, CutShortInsideAreRefused) {
  std::vector<std::byte> bytes = Word{.kind = Word::Kind::kFails, .failure = full_failure()}.encode();
  bytes[0] = static_cast<std::byte>(std::to_integer<int>(bytes[0]) - 1);
  bytes.pop_back();
  EXPECT_THROW((void)read_all(bytes), Error);
}

}  // namespace
}  // namespace trireme::wire::tcp
