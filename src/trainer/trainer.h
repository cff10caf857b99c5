// One worker's steps: batch, forward, backward, exchange and update.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "data/dataset.h"
#include "data/shard.h"
#include "train/output/throughput.h"
#include "train/train_config.h"
#include "trainer/batches.h"
#include "trainer/numbered_batches.h"

namespace trireme::trainer {

/// Throws `Error` that names the step where a loss is no number or infinite.
void require_number(double loss, std::int64_t step, std::string_view what);

class Trainer {
 public:
  /// All of these outlive it. `ahead`: as in TrainBatches.
  Trainer(const train::TrainConfig& config, const data::Dataset& train, const data::ShardedOrder& order,
          torch::nn::Sequential& net, Exchange& exchange, Rank rank, std::int64_t ahead = 0);

  /// *Together.* The first step is 1. With `wants_loss`: its loss, the mean over the samples of all workers.
  /// Throws `Error` that names the step when this worker's loss is no number.
  std::optional<double> step(std::int64_t number, bool wants_loss);

  /// In modes other than sync: the gradient of this mini-batch, with the weights that this worker has, and
  /// its exchange.
  void take_gradient(std::int64_t gradient);
  /// The step of a synchronous training that has this mini-batch.
  [[nodiscard]] std::int64_t step_of(std::int64_t gradient) const {
    return gradient / config_.exchange.workers + 1;
  }

  [[nodiscard]] double rate_of(std::int64_t number) const;
  [[nodiscard]] const TrainBatches& batches() const { return batches_; }
  /// The throughput of the job, as this worker sees it.
  [[nodiscard]] const train::Throughput& throughput() const { return throughput_; }
  /// Begins another interval of the throughput.
  void begin_interval() { throughput_.begin_interval(); }
  [[nodiscard]] train::TimeSplit time() const;

 private:
  [[nodiscard]] double learn(const SampleBatch& batch, std::int64_t number);
  [[nodiscard]] double mean_over_workers(double loss, std::int64_t samples);

  const train::TrainConfig& config_;
  torch::nn::Sequential& net_;
  Exchange& exchange_;
  TrainBatches batches_;
  std::optional<NumberedBatches> numbered_;  // in modes other than sync
  const double slowness_;
  train::TimeSplit time_;
  train::Throughput throughput_;
};

}  // namespace trireme::trainer
