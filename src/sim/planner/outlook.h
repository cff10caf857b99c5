// The changes that would alter a forecast: where another strategy becomes the fastest, and how many workers
// are worthwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "sim/model/scenario.h"
#include "sim/model/span.h"

namespace trireme::sim {

enum class Axis : std::uint8_t { kWorkers, kParameters, kLatency, kBandwidth };

/// The number of workers or parameters, seconds, or bytes per second.
[[nodiscard]] double value_on(Axis axis, const Scenario& scenario);
/// The same scenario with another value.
[[nodiscard]] Scenario moved(Axis axis, Scenario scenario, double value);

/// The strategy with the shortest time; among equals the preferred one, otherwise the first in the list of
/// all.
[[nodiscard]] plan::Strategy fastest(const Scenario& scenario, plan::Strategy preferred);

/// The nearest value along one axis, with everything else unchanged, at which another strategy is the
/// fastest.
struct Turn {
  Axis axis = Axis::kWorkers;
  bool above = true;  ///< above the present value; otherwise below
  double value = 0;   ///< to about five digits, or three; exact for workers
  plan::Strategy then = plan::Strategy::kRing;
};

/// Whether turns can be found in a few seconds: for a network without a formula every value is simulated, for
/// every strategy.
[[nodiscard]] bool is_searchable(const Scenario& scenario);

/// All turns of a modelled network, within a factor of 10,000 of the present value and up to 4,096 workers;
/// if they are simulated, up to 64 workers and to about three digits.
[[nodiscard]] std::vector<Turn> turns(const Scenario& scenario, const SimProgress& progress = {});

/// The nearest value along one axis, with everything else unchanged, at which another strategy and the job's
/// own strategy change places.
struct Crossover {
  plan::Strategy other = plan::Strategy::kRing;
  bool overtakes = true;  ///< the other one becomes faster; otherwise the job's own does
  Axis axis = Axis::kWorkers;
  bool above = true;
  double value = 0;
};

/// For all other strategies, in the same range as `turns`; only for a network with a formula.
[[nodiscard]] std::vector<Crossover> crossovers(const Scenario& scenario);

/// The number of workers that is worthwhile with the job's own strategy: the one that processes the most
/// samples per second and so, for a job with `samples`, finishes soonest.
struct WorkerAdvice {
  std::int32_t most = 1;           ///< the largest number of workers that was tried
  bool is_one_batch_each = false;  ///< the limit: more workers would not have a batch each in every epoch
  std::int32_t soonest = 1;
  std::int32_t enough = 1;  ///< the smallest number within 5 % of that
  double soonest_s = 0;
  double enough_s = 0;
  double speedup = 0;         ///< of `soonest`
  bool soonest_exact = true;  ///< as that of a forecast
  bool enough_exact = true;
};

/// Tries up to `most` workers. Without `most`: up to 4,096, and no more than have a batch each in every
/// epoch; then empty for a job with fixed rounds, whose work grows with its workers. Always empty for a
/// federated job, if workers would have to be simulated, and if no speed-up is known.
[[nodiscard]] std::optional<WorkerAdvice> advise_workers(const Scenario& scenario,
                                                         std::optional<std::int32_t> most = std::nullopt);

/// The numbers of workers, from 2 to the job's own, that take longer than one worker alone for the same
/// samples. Empty if workers would have to be simulated.
[[nodiscard]] std::vector<std::int32_t> slower_than_one(const Scenario& scenario);

}  // namespace trireme::sim
