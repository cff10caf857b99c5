// What would change a forecast: where another strategy becomes the fastest, and how many workers are worth
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "sim/model/scenario.h"
#include "sim/model/span.h"

namespace trireme::sim {

enum class Axis : std::uint8_t { kWorkers, kParameters, kLatency, kBandwidth };

/// Number of workers or parameters, seconds, or bytes per second.
[[nodiscard]] double value_on(Axis axis, const Scenario& scenario);
/// The same scenario with another value.
[[nodiscard]] Scenario moved(Axis axis, Scenario scenario, double value);

/// The strategy that takes the shortest; of several the preferred one, else the first in the order of all.
[[nodiscard]] plan::Strategy fastest(const Scenario& scenario, plan::Strategy preferred);

/// Along one axis, everything else as it is: the nearest value at which another strategy is the fastest.
struct Turn {
  Axis axis = Axis::kWorkers;
  bool above = true;  ///< upwards from the present value; else downwards
  double value = 0;   ///< to about five digits, or three; workers exactly
  plan::Strategy then = plan::Strategy::kRing;
};

/// Whether turns can be looked for in a few seconds: every value of a network without a formula is simulated,
/// for every strategy.
[[nodiscard]] bool is_searchable(const Scenario& scenario);

/// All turns of a modelled network, within a factor of 10,000 of the present value, and up to 4,096 workers;
/// where they are simulated, up to 64 workers and to about three digits.
[[nodiscard]] std::vector<Turn> turns(const Scenario& scenario, const SimProgress& progress = {});

/// Along one axis, everything else as it is: the nearest value at which another strategy and the job's own
/// change places.
struct Crossover {
  plan::Strategy other = plan::Strategy::kRing;
  bool overtakes = true;  ///< the other becomes the faster one; else the job's own does
  Axis axis = Axis::kWorkers;
  bool above = true;
  double value = 0;
};

/// Of all other strategies, as far as `turns` looks; of a network with a formula.
[[nodiscard]] std::vector<Crossover> crossovers(const Scenario& scenario);

/// How many workers are worth it, by the job's own strategy: who does the most samples in a second and so, of
/// a job with `samples`, ends it soonest.
struct WorkerAdvice {
  std::int32_t most = 1;           ///< workers that were looked at
  bool is_one_batch_each = false;  ///< as more would not have a batch each in every epoch
  std::int32_t soonest = 1;
  std::int32_t enough = 1;  ///< so few come within 5 % of that
  double soonest_s = 0;
  double enough_s = 0;
  double speedup = 0;         ///< of the soonest
  bool soonest_exact = true;  ///< as that of a forecast
  bool enough_exact = true;
};

/// Up to so many workers. Where nobody says how many: up to 4,096, and no more than have a batch each in
/// every epoch; nothing then of a job with fixed rounds, which grows with its workers. Nothing either of a
/// federated job, where workers would have to be simulated, and where no speed-up is known.
[[nodiscard]] std::optional<WorkerAdvice> advise_workers(const Scenario& scenario,
                                                         std::optional<std::int32_t> most = std::nullopt);

/// The numbers of workers, from 2 to the job's own, that take longer than one worker alone for the same
/// samples. Nothing where workers would have to be simulated.
[[nodiscard]] std::vector<std::int32_t> slower_than_one(const Scenario& scenario);

}  // namespace trireme::sim
