// When a training is saved, and what is said of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "libtorch/rounds.h"
#include "train/output/throughput.h"
#include "train/train_job.h"
#include "trainer/batches.h"

namespace trireme::trainer {

/// One worker's part. Calls marked *together* are made by all workers.
class TrainingSaver {
 public:
  /// What it tells the user, on rank 0.
  struct Listener {
    std::function<void(const std::string&)> tell;  ///< a sentence
    std::function<void(const libtorch::SaveResult&, double waited)> saved;
  };
  /// All outlive it.
  TrainingSaver(const train::TrainJob& job, Rank rank, libtorch::Rounds& rounds, const TrainBatches& batches,
                Listener listener);

  /// Before each step: this worker says what it wishes.
  void begin_step();
  /// *Together*, after each step: whether the training is to end in order now, because somebody wishes it.
  [[nodiscard]] bool is_to_stop();
  /// *Together*, after each step that is not the last: saves in the background, if it is time.
  void save_if_due(std::int64_t step, double loss);
  /// *Together*, where no step follows soon: waits until what was saved is complete, or has failed.
  void settle();
  /// *Together*, at the end: saves, and waits until that is done. Throws `Error` on rank 0 when it fails.
  void save_at_end(std::int64_t step, double loss);

  /// On rank 0: the folder of the newest checkpoint that this run has written; or empty.
  [[nodiscard]] const std::string& newest() const { return newest_; }
  /// Seconds that steps have waited.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool keeps() const;
  void save(std::int64_t step, double loss, bool in_background);
  void look_at_last();
  void take(const libtorch::SaveResult& result);

  const train::TrainJob& job_;
  const Rank rank_;
  libtorch::Rounds& rounds_;
  const TrainBatches& batches_;
  Listener listener_;
  Clock::time_point last_ = Clock::now();
  std::uint8_t wishes_ = 0;  // of all workers, in the last step
  bool warned_ = false;
  std::string newest_;
  double seconds_ = 0;
  double waited_ = 0;  // for the last one
};

}  // namespace trireme::trainer
