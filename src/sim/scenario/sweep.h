// Runs one key of a scenario through many values.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/load_scenario.h"

namespace trireme::sim {

/// From the typed text: "workers=1..1024", "network.latency=1 us..1 ms", "job.batch=32,64,128".
struct Sweep {
  std::string key;                  ///< whole: "job.workers"
  std::vector<std::string> values;  ///< as typed after --set
  bool is_range = false;            ///< the values were given as a range
};

/// A range of up to 4,096 whole numbers has all of them; a longer range, or one with units, has up to 60
/// values, each larger than the one before by the same factor. The section of a key may be omitted if only
/// one section has such a key, or if [job] has it. Throws `Error` (bad input).
[[nodiscard]] Sweep parse_sweep(const std::string& text);

/// Overrides every other setting of the key.
[[nodiscard]] inline config::Setting setting_of(const Sweep& sweep, const std::string& value) {
  return config::read_typed(sweep.key, value, "--sweep");
}

}  // namespace trireme::sim
