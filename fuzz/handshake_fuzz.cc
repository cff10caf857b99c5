// Any bytes that strangers and nodes may send in a meeting: parsers neither crash nor read too far, and what
// they accept is written back as the same bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "wire/rendezvous/handshake.h"
#include "wire/rendezvous/message.h"

namespace trireme {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <typename Bytes>
bool same(const Bytes& bytes, std::span<const std::byte> others) {
  return std::equal(bytes.begin(), bytes.end(), others.begin(), others.end());
}

const wire::rendezvous::Secret& secret() {
  static const wire::rendezvous::Secret one =
      wire::rendezvous::Secret::of("a secret that is not told", "a fuzzer");
  return one;
}

void try_hello(std::span<const std::byte> bytes) {
  const auto hello = wire::rendezvous::parse_hello(bytes);
  if (!hello) return;
  require(wire::rendezvous::may_begin_hello(bytes));
  require(same(wire::rendezvous::to_bytes(*hello), bytes));
  require(hello->from >= 0 && hello->from < hello->size && hello->to >= 0 && hello->to < hello->size);
}

void try_challenge(std::span<const std::byte> bytes) {
  const auto challenge = wire::rendezvous::parse_challenge(bytes);
  if (!challenge) return;
  require(wire::rendezvous::may_begin_challenge(bytes));
  require(same(wire::rendezvous::to_bytes(*challenge), bytes));
  // Without the secret nothing can be proved.
  require(
      !wire::rendezvous::proves(secret(), wire::rendezvous::to_bytes(wire::rendezvous::Hello{}), *challenge));
}

void try_answer(std::span<const std::byte> bytes) {
  wire::rendezvous::AnswerBytes answer{};
  if (bytes.size() != answer.size()) return;
  std::copy(bytes.begin(), bytes.end(), answer.begin());
  static const wire::rendezvous::Challenge challenge = wire::rendezvous::make_challenge(
      secret(), wire::rendezvous::to_bytes(wire::rendezvous::Hello{}), wire::rendezvous::kProtocolVersion);
  require(!wire::rendezvous::answers(secret(), wire::rendezvous::to_bytes(wire::rendezvous::Hello{}),
                                     challenge, answer));
}

// Parsing makes texts safe to show, so they are compared after that.
void try_messages(std::span<const std::byte> bytes) {
  constexpr Rank kNodes = 4;
  if (bytes.size() >= wire::rendezvous::MessageHead::kBytes)
    (void)wire::rendezvous::parse_message_head(bytes.first(wire::rendezvous::MessageHead::kBytes), kNodes);
  if (const auto card = wire::rendezvous::parse_card(bytes))
    require(wire::rendezvous::parse_card(wire::rendezvous::make_card(*card).body) == card);
  for (Rank size = 0; size <= kNodes; ++size) {
    if (const auto table = wire::rendezvous::parse_table(bytes, size)) {
      require(table->size() == idx(size));
      require(wire::rendezvous::parse_table(wire::rendezvous::make_table(*table).body, size) == table);
    }
  }
  if (const auto refusal = wire::rendezvous::parse_failure(bytes))
    require(wire::rendezvous::parse_failure(wire::rendezvous::make_refusal(*refusal).body).has_value());
}

}  // namespace
}  // namespace trireme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  trireme::try_hello(bytes);
  trireme::try_challenge(bytes);
  trireme::try_answer(bytes);
  trireme::try_messages(bytes);
  return 0;
}
