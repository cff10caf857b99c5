#include "trainer/batches.h"

namespace trireme::trainer {
namespace {

torch::Tensor room_for(const data::Dataset& dataset, std::int64_t samples) {
  std::vector<std::int64_t> sizes = {samples};
  sizes.insert(sizes.end(), dataset.shape.begin(), dataset.shape.end());
  return torch::empty(sizes, torch::kFloat32);
}

}  // namespace

BatchMaker::BatchMaker(const data::Dataset& dataset, std::int64_t largest)
    : dataset_(dataset),
      samples_(room_for(dataset, largest)),
      labels_(torch::empty({largest}, torch::kInt64)) {}

SampleBatch BatchMaker::make(std::span<const std::int64_t> indices) {
  const auto count = std::ssize(indices);
  data::gather_samples(
      dataset_, indices,
      {samples_.data_ptr<float>(), indices.size() * static_cast<std::size_t>(dataset_.sample_size())});
  data::gather_labels(dataset_, indices, {labels_.data_ptr<std::int64_t>(), indices.size()});
  return {samples_.narrow(0, 0, count), labels_.narrow(0, 0, count)};
}

TrainBatches::TrainBatches(const data::Dataset& dataset, const data::ShardedOrder& order)
    : order_(order), maker_(dataset, order.batch_size(0)) {}

SampleBatch TrainBatches::of_step(std::int64_t step) {
  if (epoch_of(step) != epoch_) {
    epoch_ = epoch_of(step);
    indices_ = order_.epoch(epoch_);
  }
  return maker_.make(order_.batch_of(indices_, place(step)));
}

std::int64_t TrainBatches::global_size(std::int64_t step) const {
  return order_.global_batch_size(place(step));
}

std::int64_t TrainBatches::epoch_of(std::int64_t step) const {
  return (step - 1) / order_.batches_per_epoch();
}

bool TrainBatches::ends_epoch(std::int64_t step) const { return step % order_.batches_per_epoch() == 0; }

std::int64_t TrainBatches::place(std::int64_t step) const { return (step - 1) % order_.batches_per_epoch(); }

}  // namespace trireme::trainer
