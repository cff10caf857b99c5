// The job that all nodes of a training are told.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "data/dataset.h"
#include "data/shard.h"
#include "train/train_config.h"

namespace trireme::train {

class StepBoard;

struct TrainJob {
  TrainConfig config;
  std::string config_text;  ///< TOML that does the same once more
  data::Split data;
  int threads = 1;              ///< of each worker
  bool json = false;            ///< one JSON document is all that goes to standard output
  std::optional<int> terminal;  ///< where rank 0 writes a line over in place
  StepBoard* steps = nullptr;   ///< where each worker says how far it is, if anywhere
  std::chrono::steady_clock::time_point started;
};

/// Reads or makes the data, and sets the keys of the configuration that depend on them. Throws `Error` (bad
/// input) when that is impossible, and when data, model, batch, number of workers and schedule do not fit
/// together.
[[nodiscard]] data::Split load_data(TrainConfig& config);

/// Throws as `load_data` would, as far as that can be known without reading or making all of the data.
void look_at_data(const TrainConfig& config);

/// The samples that a worker trains on, in their order.
[[nodiscard]] data::ShardedOrder order_of(const TrainConfig& config, const data::Dataset& train, Rank worker);

/// How many steps there are.
[[nodiscard]] std::int64_t steps_of(const TrainConfig& config, const data::ShardedOrder& order);

}  // namespace trireme::train
