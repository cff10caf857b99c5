#include "wire/shm/ticks.h"

#include <utility>

#include "wire/transfer.h"

namespace trireme::wire::shm {

Ticks::Ticks(Neighbours& neighbours) : neighbours_(neighbours) {
  Segment& segment = neighbours.segment();
  for (Rank node = 0; node < segment.nodes(); ++node) lines_.push_back(&segment.tick_line(node));
}

std::uint64_t Ticks::take(std::uint64_t count) {
  if (neighbours_.has_left()) throw gone(neighbours_.rank(), neighbours_.roster());
  return std::exchange(next_, next_ + count);
}

void Ticks::declare(const CallSignature& signature) {
  ++calls_;
  CallSignature& declared = neighbours_.segment().signature_line(neighbours_.rank()).signatures[calls_ % 2];
  if (declared.digest != signature.digest) declared = signature;
  note().digest = signature.digest;
  note().pulled = note().spread = 0;
}

void Ticks::raise(std::uint64_t tick) {
  note().tick.store(tick, std::memory_order_release);
  neighbours_.ring_all();
}

const CallSignature& Ticks::signature_of(Rank node) const {
  return neighbours_.segment().signature_line(node).signatures[calls_ % 2];
}

}  // namespace trireme::wire::shm
