// Keys with units: durations and byte rates. A number without a unit is refused, because 25 ms and 25 us of
// latency describe very different clusters.
#pragma once

#include <string>

#include "config/toml.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// "25 us", "1.5 s", "500ms", "2 min": exact, in whole picoseconds; fractions of a picosecond are rounded to
/// the nearest.
struct TimeSpan {
  [[nodiscard]] Picoseconds read(const config::Setting& setting) const;
  [[nodiscard]] std::string print(Picoseconds value) const;
};

/// "10 Gbit/s", "12.5 GB/s", "1 GiB/s": in bytes per second, greater than 0.
struct ByteRate {
  [[nodiscard]] double read(const config::Setting& setting) const;
  [[nodiscard]] std::string print(double value) const;
};

}  // namespace trireme::sim
