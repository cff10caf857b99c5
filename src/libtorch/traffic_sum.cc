#include "libtorch/traffic_sum.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/types.h"
#include "wire/notes.h"

namespace trireme::libtorch {

Exchange::Traffic sum_of_traffic(wire::Wire& wire, const Exchange::Traffic& own, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      wire::share_notes(wire, std::as_bytes(std::span(&own, 1)), "adding up traffic", deadline);
  std::vector<Exchange::Traffic> all(idx(wire.size()));
  std::memcpy(all.data(), notes.data(), notes.size());
  Exchange::Traffic total;
  for (const Exchange::Traffic& one : all) {
    total.messages += one.messages;
    total.bytes += one.bytes;
    total.messages_planned += one.messages_planned;
    total.bytes_planned += one.bytes_planned;
    total.other_messages += one.other_messages;
    total.other_bytes += one.other_bytes;
    total.rounds = std::max(total.rounds, one.rounds);
    total.update_s = std::max(total.update_s, one.update_s);
  }
  return total;
}

}  // namespace trireme::libtorch
