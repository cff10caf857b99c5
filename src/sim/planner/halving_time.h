// How long exchanges by halving and doubling take, of any number of workers behind a switch.
#pragma once

#include <vector>

#include "plan/strategies/pairing_off.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// What a message costs that carries what is left of the buffer after so many halvings.
struct BlockTime {
  Picoseconds card = 0;
  Picoseconds adding = 0;

  friend bool operator==(const BlockTime&, const BlockTime&) = default;
};

struct HalvingTime {
  __int128 first = 0;  ///< of a single exchange that all begin together
  __int128 each = 0;   ///< of many in a row
};

/// `blocks[k]` is after k halvings, up to `pairs.levels`. Exact for powers of two. Elsewhere those who need
/// not wait for a handing over run ahead, and their messages keep the cards of others busy: how long is found
/// by the events of as many workers as it depends on, 63 at most. Not so where blocks are `too_few` for all
/// of them, and many messages are not there: then it is as if all went in step.
[[nodiscard]] HalvingTime halving_time(const plan::PairingOff& pairs, Picoseconds latency,
                                       const std::vector<BlockTime>& blocks, bool too_few);

}  // namespace trireme::sim
