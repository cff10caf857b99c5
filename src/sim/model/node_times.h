// The total times that one node of a simulation spent on each activity.
#pragma once

#include "sim/model/time.h"

namespace trireme::sim {

struct NodeTimes {
  Picoseconds computing = 0;
  Picoseconds adding = 0;   ///< adding and updating
  Picoseconds sending = 0;  ///< its messages keep a card, a link or memory busy; other activities may overlap
  Picoseconds receiving = 0;  ///< the same for received messages
  Picoseconds end = 0;
};

}  // namespace trireme::sim
