#include "plan/pairing_off.h"

#include <bit>

namespace trireme {

PairingOff::PairingOff(Rank workers) {
  const auto n = static_cast<std::uint32_t>(workers);
  levels = static_cast<std::int32_t>(std::bit_width(n)) - 1;
  participants = static_cast<Rank>(std::bit_floor(n));
  extra = workers - participants;
}

}  // namespace trireme
