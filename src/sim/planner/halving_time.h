// The duration of exchanges by halving and doubling, for any number of workers behind a switch.
#pragma once

#include <vector>

#include "plan/movements/pairing_off.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// The cost of a message that carries the block that remains after so many halvings.
struct BlockTime {
  Picoseconds card = 0;
  Picoseconds adding = 0;

  friend bool operator==(const BlockTime&, const BlockTime&) = default;
};

struct HalvingTime {
  __int128 first = 0;  ///< a single exchange that all begin together
  __int128 each = 0;   ///< each of many in a row
};

/// `blocks[k]` is the block after k halvings, up to `pairs.levels`. Exact for powers of two. For other
/// numbers, workers that need not wait for a handing over run ahead, and their messages keep the cards of
/// others busy. The delay is found by simulating as many workers as it depends on, at most 63. If there are
/// `too_few` blocks for all workers, many messages do not exist; then all nodes are assumed to wait for the
/// slowest after each step.
[[nodiscard]] HalvingTime halving_time(const plan::PairingOff& pairs, Picoseconds latency,
                                       const std::vector<BlockTime>& blocks, bool too_few);

}  // namespace trireme::sim
