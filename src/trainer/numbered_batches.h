// Batches of asynchronous modes: any worker may compute any of them. Number k is what worker k mod n has in
// step ⌊k/n⌋ + 1 of a synchronous training.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.h"
#include "data/shard.h"
#include "train/train_config.h"
#include "trainer/batches.h"

namespace trireme::trainer {

class NumberedBatches {
 public:
  /// The data set outlives it. `ahead`: as in TrainBatches.
  NumberedBatches(const train::TrainConfig& config, const data::Dataset& dataset, std::int64_t ahead = 0);

  /// Lives until the next is asked for; a batch without samples is possible.
  [[nodiscard]] SampleBatch of(std::int64_t number);

 private:
  struct Shard {
    data::ShardedOrder order;
    std::int64_t epoch = -1;
    std::vector<std::int64_t> indices{};  // of that epoch
  };

  std::vector<Shard> shards_;  // by worker
  const std::int64_t ahead_;
  BatchMaker maker_;
};

}  // namespace trireme::trainer
