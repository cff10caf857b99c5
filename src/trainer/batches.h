// The batches of one worker as tensors.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/shard.h"

namespace trireme::trainer {

struct SampleBatch {
  torch::Tensor samples;
  torch::Tensor labels;

  [[nodiscard]] std::int64_t size() const { return labels.size(0); }
};

/// Puts batches together in tensors that it uses again and again: each lives until the next.
class BatchMaker {
 public:
  /// At most `largest` samples at a time, of a data set that outlives it.
  BatchMaker(const data::Dataset& dataset, std::int64_t largest);

  /// The samples with these numbers.
  [[nodiscard]] SampleBatch make(std::span<const std::int64_t> indices);

 private:
  const data::Dataset& dataset_;
  torch::Tensor samples_;
  torch::Tensor labels_;
};

/// The batches of one worker, step after step.
class TrainBatches {
 public:
  TrainBatches(const data::Dataset& dataset, const data::ShardedOrder& order);

  /// The batch of a step; the first step is 1. Steps are asked for in ascending order.
  [[nodiscard]] SampleBatch of_step(std::int64_t step);
  /// How many samples all workers have in it.
  [[nodiscard]] std::int64_t global_size(std::int64_t step) const;
  /// The epoch of a step; the first is 0.
  [[nodiscard]] std::int64_t epoch_of(std::int64_t step) const;
  /// Whether it is the last one of its epoch.
  [[nodiscard]] bool ends_epoch(std::int64_t step) const;

 private:
  [[nodiscard]] std::int64_t place(std::int64_t step) const;

  data::ShardedOrder order_;
  BatchMaker maker_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> indices_;  // of that epoch
};

}  // namespace trireme::trainer
