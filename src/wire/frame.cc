#include "wire/frame.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trireme {
namespace {

using Kind = Word::Kind;

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kMostText = 1000;
constexpr std::int64_t kAbsent = INT64_MIN;

void put(std::vector<std::byte>& bytes, std::uint64_t number, std::size_t width = 8) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
}

void put(std::vector<std::byte>& bytes, const std::string& text) {
  const std::string_view kept = std::string_view(text).substr(0, kMostText);
  put(bytes, kept.size(), 2);
  for (const char c : kept) bytes.push_back(static_cast<std::byte>(c));
}

template <typename Number>
void put_optional(std::vector<std::byte>& bytes, const std::optional<Number>& number) {
  put(bytes, static_cast<std::uint64_t>(number ? std::int64_t{*number} : kAbsent));
}

std::uint64_t number_at(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[i])} << (8 * i);
  return number;
}

[[noreturn]] void refuse() {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = "what came over the control connection makes no sense";
  failure.hint = "let every node run the same version of Trireme";
  throw Error(std::move(failure));
}

// Reads one word from front to back; whatever is not there is refused.
class Parser {
 public:
  explicit Parser(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint64_t number(std::size_t width = 8) {
    if (rest_.size() < width) refuse();
    const std::uint64_t number = number_at(rest_.first(width));
    rest_ = rest_.subspan(width);
    return number;
  }
  std::optional<std::int64_t> optional_number() {
    const auto value = static_cast<std::int64_t>(number());
    return value == kAbsent ? std::nullopt : std::optional(value);
  }
  std::optional<Rank> optional_rank() {
    const std::optional<std::int64_t> value = optional_number();
    if (!value) return std::nullopt;
    if (*value < 0 || *value > INT32_MAX) refuse();
    return static_cast<Rank>(*value);
  }
  std::string text() {
    const std::size_t length = number(2);
    if (length > kMostText || length > rest_.size()) refuse();
    const auto* characters = reinterpret_cast<const char*>(rest_.data());
    rest_ = rest_.subspan(length);
    return {characters, length};
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  std::span<const std::byte> rest_;
};

Failure parse_failure(Parser& parser) {
  Failure failure;
  const std::uint64_t cause = parser.number(1);
  if (cause > static_cast<std::uint64_t>(Failure::Cause::kMismatch)) refuse();
  failure.cause = static_cast<Failure::Cause>(cause);
  failure.rank = parser.optional_rank();
  failure.peer = parser.optional_rank();
  failure.culprit = parser.optional_rank();
  failure.op_id = parser.optional_number();
  if (const auto ns = parser.optional_number()) failure.elapsed = std::chrono::nanoseconds(*ns);
  failure.what = parser.text();
  failure.op = parser.text();
  failure.hint = parser.text();
  return failure;
}

Word parse_word(std::span<const std::byte> bytes) {
  Parser parser(bytes);
  Word word;
  const std::uint64_t kind = parser.number(1);
  if (kind < static_cast<std::uint64_t>(Kind::kWaits) || kind > static_cast<std::uint64_t>(Kind::kFails))
    refuse();
  word.kind = static_cast<Kind>(kind);
  if (word.kind == Kind::kWaits) word.peer = parser.optional_rank().value_or(-1);
  if (word.kind == Kind::kFails) word.failure = parse_failure(parser);
  parser.end();
  return word;
}

}  // namespace

std::array<std::byte, FrameHead::kBytes> FrameHead::encode() const {
  std::array<std::byte, kBytes> encoded;
  for (std::size_t i = 0; i < 8; ++i) {
    encoded[i] = static_cast<std::byte>(static_cast<std::uint64_t>(id) >> (8 * i));
    encoded[8 + i] = static_cast<std::byte>(bytes >> (8 * i));
  }
  return encoded;
}

FrameHead FrameHead::decode(std::span<const std::byte, kBytes> bytes) {
  return {static_cast<OpId>(number_at(bytes.first<8>())), number_at(bytes.last<8>())};
}

std::vector<std::byte> Word::encode() const {
  std::vector<std::byte> bytes(kLengthBytes);
  put(bytes, static_cast<std::uint64_t>(kind), 1);
  if (kind == Kind::kWaits) put_optional(bytes, peer < 0 ? std::nullopt : std::optional(peer));
  if (kind == Kind::kFails) {
    put(bytes, static_cast<std::uint64_t>(failure.cause), 1);
    put_optional(bytes, failure.rank);
    put_optional(bytes, failure.peer);
    put_optional(bytes, failure.culprit);
    put_optional(bytes, failure.op_id);
    put_optional(bytes, failure.elapsed ? std::optional(failure.elapsed->count()) : std::nullopt);
    put(bytes, failure.what);
    put(bytes, failure.op);
    put(bytes, failure.hint);
  }
  const std::size_t length = bytes.size() - kLengthBytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<std::byte>(length >> (8 * i));
  return bytes;
}

void WordReader::take(std::span<const std::byte> bytes, std::vector<Word>& words) {
  begun_.insert(begun_.end(), bytes.begin(), bytes.end());
  std::span<const std::byte> rest = begun_;
  while (rest.size() >= kLengthBytes) {
    const std::uint64_t length = number_at(rest.first(kLengthBytes));
    if (length == 0 || length > kMostBytes) refuse();
    if (rest.size() - kLengthBytes < length) break;
    words.push_back(parse_word(rest.subspan(kLengthBytes, length)));
    rest = rest.subspan(kLengthBytes + length);
  }
  begun_.erase(begun_.begin(), begun_.end() - static_cast<std::ptrdiff_t>(rest.size()));
}

}  // namespace trireme
