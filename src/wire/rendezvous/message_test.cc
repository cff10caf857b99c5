// Messages as bytes, and bytes that are not messages.
#include "wire/rendezvous/message.h"

#include <gtest/gtest.h>

#include "wire/wire_test_util.h"

namespace trireme::wire::rendezvous {
namespace {

using Kind = Message::Kind;

Bytes head(std::uint32_t kind, std::uint32_t length) {
  Bytes bytes;
  for (const std::uint32_t number : {kind, length}) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
  }
  return bytes;
}

std::vector<Entry> some_entries() {
  return {{{"", 0}, pattern(3, 1)}, {{"10.0.0.7", 4711}, {}}, {{"fe80::1", 65535}, pattern(1024, 2)}};
}

TEST(AMessageOfAMeeting, TellsKindAndLengthFirst) {
  const Message message{Kind::kAbsent, pattern(7, 1)};
  const Bytes bytes = to_bytes(message);
  const auto read = parse_message_head(std::span(bytes).first(MessageHead::kBytes), 4);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, Kind::kAbsent);
  EXPECT_EQ(read->body_bytes, 7U);
  EXPECT_EQ(bytes.size(), MessageHead::kBytes + 7);
}

TEST(AMessageOfAMeeting, OfAnUnknownKindIsNone) {
  EXPECT_FALSE(parse_message_head(head(0, 0), 4));
  EXPECT_FALSE(parse_message_head(head(8, 0), 4));
}

TEST(AMessageOfAMeeting, IsNeverLongerThanItsKindMayBe) {
  for (std::uint32_t kind = 1; kind <= 7; ++kind) {
    EXPECT_FALSE(parse_message_head(head(kind, 0xffffffff), 4)) << kind;
    EXPECT_FALSE(parse_message_head(head(kind, 100'000), 4)) << kind;
  }
  EXPECT_FALSE(parse_message_head(head(1, 1), 4));
}

TEST(ATable, IsReadAsItWasWritten) {
  const std::vector<Entry> entries = some_entries();
  EXPECT_EQ(parse_table(make_table(entries).body, 3), entries);
}

TEST(ATable, OfALargeJobFitsItsMessage) {
  const std::vector<Entry> entries(1000, {{std::string(255, 'x'), 1}, Bytes(1024)});
  const Bytes bytes = to_bytes(make_table(entries));
  EXPECT_TRUE(parse_message_head(std::span(bytes).first(MessageHead::kBytes), 1000));
}

TEST(ATable, HasExactlyOneEntryPerNode) {
  const Message table = make_table(some_entries());
  EXPECT_FALSE(parse_table(table.body, 2));
  EXPECT_FALSE(parse_table(table.body, 4));
  EXPECT_FALSE(parse_table(table.body, 0));
}

TEST(ATable, ThatIsCutOffIsNone) {
  const Message table = make_table(some_entries());
  for (std::size_t size = 0; size < table.body.size(); ++size) {
    EXPECT_FALSE(parse_table(std::span(table.body).first(size), 3)) << size;
  }
}

TEST(ACard, IsReadAsItWasWritten) {
  for (const Entry& entry : some_entries()) EXPECT_EQ(parse_card(make_card(entry).body), entry);
}

TEST(ACard, LongerThanAllowedIsNone) {
  EXPECT_FALSE(parse_card(make_card({{"10.0.0.7", 1}, Bytes(1025)}).body));
  EXPECT_FALSE(parse_card(make_card({{std::string(256, 'x'), 1}, {}}).body));
}

TEST(ARefusal, KeepsCauseCulpritWordsAndHint) {
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.culprit = 5;
  failure.what = "rank 5 has not come";
  failure.hint = "start it";
  const auto read = parse_failure(make_refusal(failure).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cause, failure.cause);
  EXPECT_EQ(read->culprit, 5);
  EXPECT_EQ(read->what, failure.what);
  EXPECT_EQ(read->hint, failure.hint);
}

TEST(ARefusal, MayHaveNoCulprit) { EXPECT_FALSE(parse_failure(make_refusal({}).body)->culprit); }

TEST(ARefusal, OfManyWordsIsCutToFit) {
  Failure failure;
  failure.what = std::string(10'000, 'x');
  failure.hint = failure.what;
  const Bytes bytes = to_bytes(make_refusal(failure));
  EXPECT_TRUE(parse_message_head(std::span(bytes).first(MessageHead::kBytes), 2));
  EXPECT_TRUE(parse_failure(make_refusal(failure).body));
}

TEST(ARefusal, ShowsNoControlCharacters) {
  Failure failure;
  failure.what = "\x1b[2J";
  EXPECT_EQ(parse_failure(make_refusal(failure).body)->what, "?[2J");
}

}  // namespace
}  // namespace trireme::wire::rendezvous
