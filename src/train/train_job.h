// The job that all nodes of a training are told.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "checkpoint/saved.h"
#include "data/dataset.h"
#include "data/normalization.h"
#include "data/shard.h"
#include "train/train_config.h"

namespace trireme::train {

class StepBoard;

struct TrainJob {
  TrainConfig config;
  std::string config_text;  ///< TOML that does the same once more
  data::Split data;
  std::optional<checkpoint::Saved> from;  ///< the checkpoint from which it goes on
  int threads = 1;                        ///< of each worker
  int cores = 0;                          ///< of this host, which its nodes share; 0: unknown
  Rank nodes_here = 0;
  bool json = false;            ///< one JSON document is all that goes to standard output
  std::optional<int> terminal;  ///< where rank 0 writes a line over in place
  StepBoard* steps = nullptr;   ///< where each worker says how far it is, if anywhere
  std::chrono::steady_clock::time_point started;
};

/// Reads or makes the data, and sets the keys of the configuration that depend on them. Throws `Error` (bad
/// input) when that is impossible, and when data, model, batch, number of workers and schedule do not fit
/// together. A training that goes on keeps the normalization that it began with; `from` is what was saved of
/// it.
[[nodiscard]] data::Split load_data(TrainConfig& config, const std::optional<data::Normalization>& kept = {},
                                    const checkpoint::State* from = nullptr);

/// The names of the numbers in a checkpoint by which samples were normalized begin with it.
inline constexpr const char* kNormalization = "normalization/";
/// These numbers; nothing where it has none.
[[nodiscard]] std::optional<data::Normalization> normalization_in(const checkpoint::Saved& saved);

/// Throws as `load_data` would, as far as that can be known without reading or making all of the data.
void look_at_data(const TrainConfig& config);

/// The samples that a worker trains on, in their order.
[[nodiscard]] data::ShardedOrder order_of(const TrainConfig& config, const data::Dataset& train, Rank worker);

/// By how many steps a training that goes on is further in its samples than its number of steps says: not 0
/// if its steps were of another number of samples before.
[[nodiscard]] std::int64_t ahead_of_steps(const checkpoint::State& from, const data::ShardedOrder& order);

/// How many steps there are, from step 0 on.
[[nodiscard]] std::int64_t steps_of(const TrainConfig& config, const data::ShardedOrder& order,
                                    const checkpoint::State* from = nullptr);

/// The model's tensors as a checkpoint has them. Throws `Error` (bad input) with the first difference where
/// the file is of another model.
void require_same_model(const TrainConfig& config, const data::Dataset& train,
                        const checkpoint::SafetensorsFile& weights);

/// The folder of the run to which a checkpoint belongs; empty: it lies by itself.
[[nodiscard]] std::filesystem::path run_of(const checkpoint::Saved& saved);
/// The step after which the training goes on in the folder that it began in; nothing: it has none, or
/// another.
[[nodiscard]] std::optional<std::int64_t> step_to_go_on_from(const TrainJob& job);
/// Where a training that has not ended can go on, in one sentence; empty: it has no folder.
[[nodiscard]] std::string how_to_go_on(const TrainConfig& config);
/// Its newest complete checkpoint; empty: there is none.
[[nodiscard]] std::string newest_checkpoint(const TrainConfig& config);

/// A sentence for everything that is not as it was when this was saved.
[[nodiscard]] std::vector<std::string> say_changes(const TrainConfig& config, const data::ShardedOrder& order,
                                                   const checkpoint::State& from);

}  // namespace trireme::train
