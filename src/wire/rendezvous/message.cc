#include "wire/rendezvous/message.h"

#include <algorithm>
#include <utility>

#include "base/little_endian.h"
#include "base/text.h"

namespace trireme::wire::rendezvous {
namespace {

using MessageKind = Message::Kind;

constexpr std::size_t kMostWords = 2048;
constexpr std::size_t kMostEntryBytes = 3 * 2 + Address::kMostHostCharacters + kMostCardBytes;
constexpr std::uint32_t kNoCulprit = UINT32_MAX;

std::size_t most_body_bytes(MessageKind kind, Rank size) {
  switch (kind) {
    case MessageKind::kWelcome:
    case MessageKind::kLinked:
    case MessageKind::kGo:
      return 0;
    case MessageKind::kRefusal:
    case MessageKind::kAbsent:
      return 4 + 4 + 2 * (2 + kMostWords);
    case MessageKind::kCard:
      return kMostEntryBytes;
    case MessageKind::kTable:
      return idx(size) * kMostEntryBytes;
  }
  return 0;
}

bool is_message_kind(std::uint32_t kind) {
  return kind >= static_cast<std::uint32_t>(MessageKind::kWelcome) &&
         kind <= static_cast<std::uint32_t>(MessageKind::kGo);
}

Message message_of(MessageKind kind, const ByteWriter& writer) {
  return {kind, {writer.bytes().begin(), writer.bytes().end()}};
}

std::string_view shortened(std::string_view text) { return text.substr(0, kMostWords); }

void put_counted(ByteWriter& writer, std::span<const std::byte> bytes) {
  writer.put(static_cast<std::uint16_t>(bytes.size()));
  writer.put(bytes);
}

std::span<const std::byte> get_counted(ByteReader& reader, std::size_t most) {
  const std::size_t count = reader.get<std::uint16_t>();
  return reader.get_bytes(count <= most ? count : SIZE_MAX);  // too long counts as missing
}

std::string text_of(std::span<const std::byte> bytes) {
  return printable({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void put_entry(ByteWriter& writer, const Entry& entry) {
  writer.put(entry.address.port);
  put_counted(writer, std::as_bytes(std::span(entry.address.host)));
  put_counted(writer, entry.card);
}

Entry get_entry(ByteReader& reader) {
  Entry entry;
  entry.address.port = reader.get<std::uint16_t>();
  entry.address.host = text_of(get_counted(reader, Address::kMostHostCharacters));
  const std::span<const std::byte> card = get_counted(reader, kMostCardBytes);
  entry.card.assign(card.begin(), card.end());
  return entry;
}

Message make_failure(MessageKind kind, const Failure& failure) {
  ByteWriter writer;
  writer.put(static_cast<std::uint32_t>(failure.cause));
  writer.put(failure.culprit ? static_cast<std::uint32_t>(*failure.culprit) : kNoCulprit);
  put_counted(writer, std::as_bytes(std::span(shortened(failure.what))));
  put_counted(writer, std::as_bytes(std::span(shortened(failure.hint))));
  return message_of(kind, writer);
}

}  // namespace

std::optional<MessageHead> parse_message_head(std::span<const std::byte> bytes, Rank size) {
  ByteReader reader(bytes);
  const auto kind = reader.get<std::uint32_t>();
  const std::size_t body_bytes = reader.get<std::uint32_t>();
  if (!reader.at_end() || !is_message_kind(kind)) return std::nullopt;
  const MessageHead head{static_cast<MessageKind>(kind), body_bytes};
  if (body_bytes > most_body_bytes(head.kind, size)) return std::nullopt;
  return head;
}

std::vector<std::byte> to_bytes(const Message& message) {
  ByteWriter writer;
  writer.put(static_cast<std::uint32_t>(message.kind));
  writer.put(static_cast<std::uint32_t>(message.body.size()));
  writer.put(message.body);
  return {writer.bytes().begin(), writer.bytes().end()};
}

Message make_card(const Entry& entry) {
  ByteWriter writer;
  put_entry(writer, entry);
  return message_of(MessageKind::kCard, writer);
}

Message make_table(std::span<const Entry> entries) {
  ByteWriter writer;
  for (const Entry& entry : entries) put_entry(writer, entry);
  return message_of(MessageKind::kTable, writer);
}

Message make_refusal(const Failure& failure) { return make_failure(MessageKind::kRefusal, failure); }
Message make_absent(const Failure& failure) { return make_failure(MessageKind::kAbsent, failure); }

std::optional<Entry> parse_card(std::span<const std::byte> body) {
  ByteReader reader(body);
  Entry entry = get_entry(reader);
  if (!reader.at_end()) return std::nullopt;
  return entry;
}

std::optional<std::vector<Entry>> parse_table(std::span<const std::byte> body, Rank size) {
  ByteReader reader(body);
  std::vector<Entry> entries;
  for (Rank rank = 0; rank < size && reader.ok(); ++rank) entries.push_back(get_entry(reader));
  if (!reader.at_end()) return std::nullopt;
  return entries;
}

std::optional<Failure> parse_failure(std::span<const std::byte> body) {
  ByteReader reader(body);
  const auto cause = reader.get<std::uint32_t>();
  const auto culprit = reader.get<std::uint32_t>();
  Failure failure;
  failure.what = text_of(get_counted(reader, kMostWords));
  failure.hint = text_of(get_counted(reader, kMostWords));
  if (!reader.at_end() || cause > static_cast<std::uint32_t>(Failure::Cause::kMismatch)) return std::nullopt;
  failure.cause = static_cast<Failure::Cause>(cause);
  if (culprit <= static_cast<std::uint32_t>(INT32_MAX)) failure.culprit = static_cast<Rank>(culprit);
  return failure;
}

}  // namespace trireme::wire::rendezvous
