#include "trainer/numbered_batches.h"

#include "base/types.h"
#include "train/train_job.h"

namespace trireme::trainer {
namespace {

template <typename Shard>
std::vector<Shard> shards_of(const train::TrainConfig& config, const data::Dataset& dataset) {
  std::vector<Shard> shards;
  for (Rank worker = 0; worker < config.exchange.workers; ++worker) {
    shards.push_back({train::order_of(config, dataset, worker)});
  }
  return shards;
}

}  // namespace

NumberedBatches::NumberedBatches(const train::TrainConfig& config, const data::Dataset& dataset,
                                 std::int64_t ahead)
    : shards_(shards_of<Shard>(config, dataset)),
      ahead_(ahead),
      maker_(dataset, shards_[0].order.batch_size(0)) {}

SampleBatch NumberedBatches::of(std::int64_t number) {
  const std::int64_t workers = std::ssize(shards_);
  const std::int64_t step = number / workers + ahead_;
  Shard& shard = shards_[idx(number % workers)];
  const std::int64_t per_epoch = shard.order.batches_per_epoch();
  if (shard.epoch != step / per_epoch) {
    shard.epoch = step / per_epoch;
    shard.indices = shard.order.epoch(shard.epoch);
  }
  return maker_.make(shard.order.batch_of(shard.indices, step % per_epoch));
}

}  // namespace trireme::trainer
