#include "wire/shm/ticks.h"

#include <utility>

#include "wire/transfer.h"

namespace trireme::wire::shm {

Ticks::Ticks(Neighbours& neighbours, const Members& members, Rank rank, const GroupMemory& memory)
    : neighbours_(neighbours), rank_(rank), memory_(memory), bells_(neighbours.bells_of(members)) {
  for (Rank node = 0; node < members.size(); ++node) lines_.push_back(&memory.tick_line(node));
}

std::uint64_t Ticks::take(std::uint64_t count) {
  require_here();
  return std::exchange(next_, next_ + count);
}

void Ticks::declare(const CallSignature& signature) {
  ++calls_;
  CallSignature& declared = memory_.signature_line(rank_).signatures[calls_ % kNotes];
  if (declared.digest != signature.digest) declared = signature;
  TickLine::Note& own = note();
  own.digest = history_ = mix(history_, signature.digest);
  own.place = own.moved = 0;
}

void Ticks::raise(std::uint64_t tick) {
  note().tick.store(tick, std::memory_order_release);
  neighbours_.ring(bells_);
}

const CallSignature& Ticks::signature_of(Rank node, std::uint64_t call) const {
  return memory_.signature_line(node).signatures[call % kNotes];
}

void Ticks::require_here() const {
  if (neighbours_.has_left()) throw gone(neighbours_.rank(), neighbours_.roster());
}

}  // namespace trireme::wire::shm
