// One key of a scenario through many values.
#pragma once

#include <string>
#include <vector>

#include "config/load_scenario.h"

namespace trireme {

/// As it was typed: "workers=1..1024", "network.latency=1 us..1 ms", "job.batch=32,64,128".
struct Sweep {
  std::string key;                  ///< whole: "job.workers"
  std::vector<std::string> values;  ///< as one would type them after --set
};

/// A range of whole numbers has all of them, up to 100,000; a range with units has 60 values, each larger
/// than the one before by the same factor. A key without its section is one of [job]. Throws `Error` (bad
/// input).
[[nodiscard]] Sweep parse_sweep(const std::string& text);

/// What --set would say.
[[nodiscard]] inline std::string setting_of(const Sweep& sweep, const std::string& value) {
  return sweep.key + "=" + value;
}

}  // namespace trireme
