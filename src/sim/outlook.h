// What would change a forecast: where another strategy becomes the fastest, and how many workers are worth
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "sim/scenario.h"

namespace trireme {

enum class Axis : std::uint8_t { kWorkers, kParameters, kLatency, kBandwidth };

/// Number of workers or parameters, seconds, or bytes per second.
[[nodiscard]] double value_on(Axis axis, const Scenario& scenario);
/// The same scenario with another value.
[[nodiscard]] Scenario moved(Axis axis, Scenario scenario, double value);

/// The strategy with the shortest round; of several the preferred one, else the first in the order of all.
[[nodiscard]] Strategy fastest(const Scenario& scenario, Strategy preferred);

/// Along one axis, everything else as it is: the nearest value at which another strategy is the fastest.
struct Turn {
  Axis axis = Axis::kWorkers;
  bool above = true;  ///< upwards from the present value; else downwards
  double value = 0;   ///< to about five digits; workers exactly
  Strategy then = Strategy::kRing;
};

/// All turns of a modelled network, within a factor of 10,000 of the present value, and up to 4,096 workers.
[[nodiscard]] std::vector<Turn> turns(const Scenario& scenario);

/// Along one axis, everything else as it is: the nearest value at which another strategy and the job's own
/// change places.
struct Crossover {
  Strategy other = Strategy::kRing;
  bool overtakes = true;  ///< the other becomes the faster one; else the job's own does
  Axis axis = Axis::kWorkers;
  bool above = true;
  double value = 0;
};

/// Of all other strategies, as far as `turns` looks; of a network with a formula.
[[nodiscard]] std::vector<Crossover> crossovers(const Scenario& scenario);

/// Of a job with a number of samples: how many workers, up to 4,096, end it soonest, and how few come within
/// 5 % of that.
struct WorthIt {
  std::int32_t soonest = 1;
  std::int32_t enough = 1;
  double soonest_s = 0;
  double enough_s = 0;
};
[[nodiscard]] std::optional<WorthIt> worth_it(const Scenario& scenario);

}  // namespace trireme
