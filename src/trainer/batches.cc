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
      labels_(torch::empty({largest}, dataset.classes > 0 ? torch::kInt64 : torch::kFloat32)) {}

SampleBatch BatchMaker::make(std::span<const std::int64_t> indices) {
  const auto count = std::ssize(indices);
  data::gather_samples(
      dataset_, indices,
      {samples_.data_ptr<float>(), indices.size() * static_cast<std::size_t>(dataset_.sample_size())});
  if (dataset_.classes > 0) {
    data::gather_labels(dataset_, indices, {labels_.data_ptr<std::int64_t>(), indices.size()});
  } else {
    data::gather_labels(dataset_, indices, {labels_.data_ptr<float>(), indices.size()});
  }
  return {samples_.narrow(0, 0, count), labels_.narrow(0, 0, count)};
}

TrainBatches::TrainBatches(const data::Dataset& dataset, const data::ShardedOrder& order, std::int64_t ahead)
    : order_(order),
      ahead_(ahead),
      places_{Place{BatchMaker(dataset, order.batch_size(0))},
              Place{BatchMaker(dataset, order.batch_size(0))}},
      thread_([this](const std::stop_token& stop) { make_ahead(stop); }) {}

TrainBatches::~TrainBatches() {
  thread_.request_stop();
  thread_.join();
}

SampleBatch TrainBatches::of_step(std::int64_t step) {
  std::unique_lock lock(mutex_);
  // A thread that has not begun, as all cores are busy, would only be waited for.
  if (state_ == Thread::kAsked) state_ = Thread::kIdle;
  changed_.wait(lock, [this] { return state_ == Thread::kIdle; });
  Place& place = place_for(step);
  if (place.step != step) fill(step);
  if (place.failure) std::rethrow_exception(place.failure);
  asked_ = step + 1;
  state_ = Thread::kAsked;
  changed_.notify_all();
  return place.batch;
}

void TrainBatches::fill(std::int64_t step) {
  Place& place = place_for(step);
  place.step = step;
  try {
    if (epoch_of(step) != epoch_) {
      epoch_ = epoch_of(step);
      indices_ = order_.epoch(epoch_);
    }
    place.batch = place.maker.make(order_.batch_of(indices_, place_in_epoch(step)));
  } catch (...) {
    place.failure = std::current_exception();
  }
}

void TrainBatches::make_ahead(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return state_ == Thread::kAsked; })) {
    state_ = Thread::kMaking;
    const std::int64_t step = asked_;
    lock.unlock();
    fill(step);
    lock.lock();
    state_ = Thread::kIdle;
    changed_.notify_all();
  }
}

std::int64_t TrainBatches::global_size(std::int64_t step) const {
  return order_.global_batch_size(place_in_epoch(step));
}

std::int64_t TrainBatches::epoch_of(std::int64_t step) const {
  return (step + ahead_ - 1) / order_.batches_per_epoch();
}

bool TrainBatches::ends_epoch(std::int64_t step) const { return position_after(step) == 0; }

std::int64_t TrainBatches::position_after(std::int64_t steps) const {
  return (steps + ahead_) % order_.batches_per_epoch() * order_.global_batch_size(0);
}

std::int64_t TrainBatches::place_in_epoch(std::int64_t step) const {
  return (step + ahead_ - 1) % order_.batches_per_epoch();
}

}  // namespace trireme::trainer
