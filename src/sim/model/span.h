// One activity of a node in a simulation, with its start and end.
#pragma once

#include <cstdint>
#include <functional>

#include "base/types.h"
#include "sim/model/time.h"

namespace trireme::sim {

struct SimSpan {
  enum class Kind : std::uint8_t { kCompute, kSend, kReceive, kAdd };

  Kind kind = Kind::kCompute;
  Rank node = 0;
  Rank peer = 0;              ///< of a message
  OpId op = 0;                ///< of a message or a fold, as in a real run
  std::int64_t exchange = 0;  ///< its number since the beginning; for a computation, its round
  Picoseconds start = 0;
  Picoseconds end = 0;
  std::int64_t bytes = 0;
};

/// Called with each span as soon as its end is known; may be empty.
using SimWatch = std::function<void(const SimSpan&)>;

/// Called from time to time with the fraction of the simulation that is done, from 0 to 1; may be empty.
using SimProgress = std::function<void(double)>;

/// The number of events between two progress calls: a few tenths of a second.
inline constexpr std::int64_t kEventsBetweenProgress = std::int64_t{1} << 20;

}  // namespace trireme::sim
