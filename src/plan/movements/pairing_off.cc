#include "plan/movements/pairing_off.h"

#include <bit>

namespace trireme::plan {

PairingOff::PairingOff(Rank workers) {
  const auto n = static_cast<std::uint32_t>(workers);
  levels = static_cast<std::int32_t>(std::bit_width(n)) - 1;
  participants = static_cast<Rank>(std::bit_floor(n));
  extra = workers - participants;
}

bool hand_over(ProgramWriter& writer, const PairingOff& pairs, Rank node, const Slice& whole,
               std::int32_t last_step) {
  if (pairs.takes_over(node)) writer.receive(0, node - 1, whole, Action::kAdd);
  if (!pairs.hands_over(node)) return true;
  writer.send(0, node + 1, whole, Action::kAdd);
  writer.receive(last_step, node + 1, whole, Action::kCopy);
  return false;
}

void hand_back(ProgramWriter& writer, const PairingOff& pairs, Rank node, const Slice& whole,
               std::int32_t last_step) {
  if (pairs.takes_over(node)) writer.send(last_step, node - 1, whole, Action::kCopy);
}

}  // namespace trireme::plan
