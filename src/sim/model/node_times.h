// What one node of a simulation was at, in all.
#pragma once

#include "sim/model/time.h"

namespace trireme::sim {

struct NodeTimes {
  Picoseconds computing = 0;
  Picoseconds adding = 0;     ///< and updating
  Picoseconds sending = 0;    ///< its messages keep a card, a link or memory busy; other things may go on
  Picoseconds receiving = 0;  ///< likewise
  Picoseconds end = 0;
};

}  // namespace trireme::sim
