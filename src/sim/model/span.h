// What a node did in a simulation, from when to when.
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
  std::int64_t exchange = 0;  ///< the how manieth since the beginning; of a computation its round
  Picoseconds start = 0;
  Picoseconds end = 0;
  std::int64_t bytes = 0;
};

/// Is told each as soon as its end is known; may be empty.
using SimWatch = std::function<void(const SimSpan&)>;

/// Is told now and then which part of the simulation is done, from 0 to 1; may be empty.
using SimProgress = std::function<void(double)>;

/// So many events lie between two tellings: some tenths of a second.
inline constexpr std::int64_t kEventsBetweenProgress = std::int64_t{1} << 20;

}  // namespace trireme::sim
