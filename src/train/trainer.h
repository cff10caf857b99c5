// One worker's steps: batch, forward, backward, exchange and update.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "config/train_config.h"
#include "data/dataset.h"
#include "data/shard.h"
#include "job/throughput.h"
#include "train/batches.h"

namespace trireme {

/// Throws `Error` that names the step where a loss is no number or infinite.
void require_number(double loss, std::int64_t step, std::string_view what);

class Trainer {
 public:
  /// All of these outlive it.
  Trainer(const TrainConfig& config, const Dataset& train, const ShardedOrder& order,
          torch::nn::Sequential& net, Exchange& exchange);

  /// *Together.* The first step is 1. With `wants_loss`: its loss, the mean over the samples of all workers.
  /// Throws `Error` that names the step when this worker's loss is no number.
  std::optional<double> step(std::int64_t number, bool wants_loss);

  [[nodiscard]] double rate_of(std::int64_t number) const;
  [[nodiscard]] const TrainBatches& batches() const { return batches_; }
  /// Of the job, as this worker sees it.
  [[nodiscard]] const Throughput& throughput() const { return throughput_; }
  [[nodiscard]] TimeSplit time() const;

 private:
  [[nodiscard]] double learn(const SampleBatch& batch, std::int64_t number);
  [[nodiscard]] double mean_over_workers(double loss, std::int64_t samples);

  const TrainConfig& config_;
  torch::nn::Sequential& net_;
  Exchange& exchange_;
  TrainBatches batches_;
  TimeSplit time_;
  Throughput throughput_;
};

}  // namespace trireme
