#include "wire/tcp/frame.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/little_endian.h"

namespace trireme::wire::tcp {
namespace {

using WordKind = Word::Kind;

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);
constexpr std::size_t kMostText = 1000;
constexpr std::int64_t kAbsent = INT64_MIN;

void put(ByteWriter& writer, const std::string& text) {
  const std::string_view kept = std::string_view(text).substr(0, kMostText);
  writer.put(static_cast<std::uint16_t>(kept.size()));
  writer.put(std::as_bytes(std::span(kept)));
}

template <typename Number>
void put(ByteWriter& writer, const std::optional<Number>& number) {
  writer.put(static_cast<std::uint64_t>(number ? std::int64_t{*number} : kAbsent));
}

void put(ByteWriter& writer, const Failure& failure) {
  writer.put(static_cast<std::uint8_t>(failure.cause));
  put(writer, failure.rank);
  put(writer, failure.peer);
  put(writer, failure.culprit);
  put(writer, failure.op_id);
  put(writer, failure.elapsed ? std::optional(failure.elapsed->count()) : std::nullopt);
  put(writer, failure.what);
  put(writer, failure.op);
  put(writer, failure.hint);
}

[[noreturn]] void refuse() {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = "what came over the control connection makes no sense";
  failure.hint = "let every node run the same version of Trireme";
  throw Error(std::move(failure));
}

std::optional<std::int64_t> get_number(ByteReader& reader) {
  const auto number = static_cast<std::int64_t>(reader.get<std::uint64_t>());
  return number == kAbsent ? std::nullopt : std::optional(number);
}

std::optional<Rank> get_rank(ByteReader& reader) {
  const std::optional<std::int64_t> number = get_number(reader);
  if (!number) return std::nullopt;
  if (*number < 0 || *number > INT32_MAX) refuse();
  return static_cast<Rank>(*number);
}

std::string get_text(ByteReader& reader) {
  const std::size_t length = reader.get<std::uint16_t>();
  if (length > kMostText) refuse();
  const std::span<const std::byte> bytes = reader.get_bytes(length);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Failure get_failure(ByteReader& reader) {
  Failure failure;
  const auto cause = reader.get<std::uint8_t>();
  if (cause > static_cast<std::uint8_t>(Failure::Cause::kFailed)) refuse();
  failure.cause = static_cast<Failure::Cause>(cause);
  failure.rank = get_rank(reader);
  failure.peer = get_rank(reader);
  failure.culprit = get_rank(reader);
  failure.op_id = get_number(reader);
  if (const auto ns = get_number(reader)) failure.elapsed = std::chrono::nanoseconds(*ns);
  failure.what = get_text(reader);
  failure.op = get_text(reader);
  failure.hint = get_text(reader);
  return failure;
}

Word parse_word(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Word word;
  const auto kind = reader.get<std::uint8_t>();
  if (kind < static_cast<std::uint8_t>(WordKind::kWaits) ||
      kind > static_cast<std::uint8_t>(WordKind::kFails))
    refuse();
  word.kind = static_cast<WordKind>(kind);
  if (word.kind == WordKind::kWaits) word.peer = get_rank(reader).value_or(-1);
  if (word.kind == WordKind::kFails) word.failure = get_failure(reader);
  if (!reader.at_end()) refuse();
  return word;
}

}  // namespace

std::array<std::byte, FrameHead::kBytes> FrameHead::encode() const {
  std::array<std::byte, kBytes> encoded;
  for (std::size_t i = 0; i < 8; ++i) {
    encoded[i] = static_cast<std::byte>(static_cast<std::uint64_t>(id) >> (8 * i));
    encoded[8 + i] = static_cast<std::byte>(bytes >> (8 * i));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    encoded[16 + i] = static_cast<std::byte>(channel.group >> (8 * i));
    encoded[20 + i] = static_cast<std::byte>(channel.tagged >> (8 * i));
  }
  return encoded;
}

FrameHead FrameHead::decode(std::span<const std::byte, kBytes> bytes) {
  ByteReader reader(bytes);
  FrameHead head;
  head.id = static_cast<OpId>(reader.get<std::uint64_t>());
  head.bytes = reader.get<std::uint64_t>();
  head.channel.group = reader.get<GroupId>();
  head.channel.tagged = reader.get<std::uint32_t>();
  return head;
}

std::vector<std::byte> Word::encode() const {
  ByteWriter body;
  body.put(static_cast<std::uint8_t>(kind));
  if (kind == WordKind::kWaits) put(body, peer < 0 ? std::nullopt : std::optional(peer));
  if (kind == WordKind::kFails) put(body, failure);
  ByteWriter writer;
  writer.put(static_cast<std::uint32_t>(body.bytes().size()));
  writer.put(body.bytes());
  return {writer.bytes().begin(), writer.bytes().end()};
}

void WordReader::take(std::span<const std::byte> bytes, std::vector<Word>& words) {
  begun_.insert(begun_.end(), bytes.begin(), bytes.end());
  std::span<const std::byte> rest = begun_;
  while (rest.size() >= kLengthBytes) {
    const std::size_t length = ByteReader(rest).get<std::uint32_t>();
    if (length == 0 || length > kMostBytes) refuse();
    if (rest.size() - kLengthBytes < length) break;
    words.push_back(parse_word(rest.subspan(kLengthBytes, length)));
    rest = rest.subspan(kLengthBytes + length);
  }
  begun_.erase(begun_.begin(), begun_.end() - static_cast<std::ptrdiff_t>(rest.size()));
}

}  // namespace trireme::wire::tcp
