// The duration of exchanges over a binomial tree, for any number of workers behind a switch.
#pragma once

#include "base/types.h"
#include "sim/model/time.h"

namespace trireme::sim {

struct TreeTime {
  __int128 first = 0;  ///< a single exchange that all begin together
  __int128 each = 0;   ///< each of many in a row
};

/// All messages are equal: each keeps a card busy for `card`, arrives `latency` later, and takes `adding` to
/// add.
[[nodiscard]] TreeTime tree_time(Rank workers, Picoseconds latency, Picoseconds card, Picoseconds adding);

}  // namespace trireme::sim
