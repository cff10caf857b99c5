#include "wire/wire.h"

#include <algorithm>
#include <cstring>

namespace trireme::wire {
namespace {

// On Zen 3 and 4, string moves are twenty times slower if the target is 1 to 31 bytes after the source,
// counted within pages, and glibc before 2.39 uses them for copies longer than about 2 KiB, up to half a
// megabyte or more. This is not rare: large blocks of `malloc` begin 16 bytes after a page border, windows
// and stages at one. Short pieces are copied with vectors instead.
constexpr std::uintptr_t kCopyPage = 4096;
constexpr std::uintptr_t kSlowDistance = 32;
constexpr std::size_t kShort = 2048;

bool is_slow_as_a_whole(const std::byte* into, const std::byte* from, std::size_t bytes) {
  const auto apart =
      (reinterpret_cast<std::uintptr_t>(into) - reinterpret_cast<std::uintptr_t>(from)) % kCopyPage;
  return bytes > kShort && apart > 0 && apart < kSlowDistance;
}

}  // namespace

void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::size_t piece = is_slow_as_a_whole(into, from, bytes) ? kShort : bytes;
  for (std::size_t at = 0; at < bytes; at += piece) {
    std::memcpy(into + at, from + at, std::min(piece, bytes - at));
  }
}

Counters& Counters::operator+=(const Counters& more) {
  sent_messages += more.sent_messages;
  sent_bytes += more.sent_bytes;
  received_messages += more.received_messages;
  received_bytes += more.received_bytes;
  return *this;
}

Counters& Counters::operator-=(const Counters& less) {
  sent_messages -= less.sent_messages;
  sent_bytes -= less.sent_bytes;
  received_messages -= less.received_messages;
  received_bytes -= less.received_bytes;
  return *this;
}

}  // namespace trireme::wire
