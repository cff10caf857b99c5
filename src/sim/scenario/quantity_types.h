// Keys that are measured in units: spans of time and rates of bytes. A number without its unit is refused,
// for a cluster of 25 ms latency is another one than a cluster of 25 us.
#pragma once

#include <string>

#include "config/toml.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// "25 us", "1.5 s", "500ms", "2 min": in whole picoseconds, exactly; what is below one is rounded to the
/// nearest.
struct TimeSpan {
  [[nodiscard]] Picoseconds read(const config::Setting& setting) const;
  [[nodiscard]] std::string print(Picoseconds value) const;
};

/// "10 Gbit/s", "12.5 GB/s", "1 GiB/s": in bytes per second, more than none.
struct ByteRate {
  [[nodiscard]] double read(const config::Setting& setting) const;
  [[nodiscard]] std::string print(double value) const;
};

}  // namespace trireme::sim
