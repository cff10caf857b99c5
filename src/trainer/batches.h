// The batches of one worker as tensors.
#pragma once

#include <torch/torch.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "data/dataset.h"
#include "data/shard.h"

namespace trireme::trainer {

struct SampleBatch {
  torch::Tensor samples;
  torch::Tensor labels;  ///< whole numbers for classes, floats for numbers to predict

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

/// The batches of one worker, step after step. While a model computes with one, a thread makes the next:
/// reads its samples, which may lie in a file, and normalizes them.
class TrainBatches {
 public:
  /// The data set outlives it. `ahead`: by how many steps it is further in the samples than the numbers of
  /// steps say.
  TrainBatches(const data::Dataset& dataset, const data::ShardedOrder& order, std::int64_t ahead = 0);
  ~TrainBatches();
  TrainBatches(const TrainBatches&) = delete;
  TrainBatches& operator=(const TrainBatches&) = delete;

  /// The batch of a step; the first step is 1. Steps are asked for in ascending order, and a batch lives
  /// until the next is asked for. Throws what reading has thrown.
  [[nodiscard]] SampleBatch of_step(std::int64_t step);
  /// How many samples all workers have in it.
  [[nodiscard]] std::int64_t global_size(std::int64_t step) const;
  /// The epoch of a step; the first is 0.
  [[nodiscard]] std::int64_t epoch_of(std::int64_t step) const;
  /// Whether it is the last one of its epoch.
  [[nodiscard]] bool ends_epoch(std::int64_t step) const;
  /// How many samples of the epoch at hand all workers have had after so many steps; 0 at its beginning.
  [[nodiscard]] std::int64_t position_after(std::int64_t steps) const;

 private:
  // A batch and its memory. There are two: one to compute with, and one to be filled.
  struct Place {
    BatchMaker maker;
    SampleBatch batch{};
    std::int64_t step = 0;  // 0: nothing is there
    std::exception_ptr failure{};
  };
  enum class Thread : std::uint8_t { kIdle, kAsked, kMaking };

  [[nodiscard]] std::int64_t place_in_epoch(std::int64_t step) const;
  [[nodiscard]] Place& place_for(std::int64_t step) { return places_[static_cast<std::size_t>(step % 2)]; }
  void fill(std::int64_t step);
  void make_ahead(const std::stop_token& stop);

  data::ShardedOrder order_;
  std::int64_t ahead_;
  // Whoever makes a batch, the thread while it is `kMaking` or else the caller, uses these alone.
  std::array<Place, 2> places_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> indices_;  // of that epoch

  std::mutex mutex_;  // of what follows
  std::condition_variable_any changed_;
  Thread state_ = Thread::kIdle;
  std::int64_t asked_ = 0;  // the step that the thread makes
  std::jthread thread_;
};

}  // namespace trireme::trainer
