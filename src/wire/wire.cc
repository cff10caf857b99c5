#include "wire/wire.h"

#include <cstring>

namespace trireme {

void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(into, from, bytes);
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

}  // namespace trireme
