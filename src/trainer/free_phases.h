// A worker's phases in modes other than sync: gradient after gradient, until the servers hand out no more.
#pragma once

#include <cstdint>
#include <functional>

#include "libtorch/rounds.h"
#include "train/output/summary.h"
#include "train/train_job.h"
#include "trainer/trainer.h"
#include "trainer/training_saver.h"

namespace trireme::trainer {

class FreePhases {
 public:
  /// Called before (`done` false) and after each gradient of this worker.
  using Watch = std::function<void(std::int64_t gradient, bool done)>;
  /// All outlive it.
  FreePhases(const train::TrainJob& job, Trainer& trainer, libtorch::Rounds& rounds, TrainingSaver& saver)
      : config_(job.config), trainer_(trainer), rounds_(rounds), saver_(saver) {}

  /// *Together.* Trains from so many steps of all workers on to the end, or to the next checkpoint, or until
  /// somebody wishes to stop or to save. Returns how many steps are done then.
  std::int64_t run(std::int64_t done, std::int64_t steps, const Watch& watch);
  /// *Together*, between phases: what the servers did so far. On rank 0, `writes` gets the lines of the
  /// schedule since the last call.
  [[nodiscard]] train::FreeSummary conclude(std::string& writes);

 private:
  const train::TrainConfig& config_;
  Trainer& trainer_;
  libtorch::Rounds& rounds_;
  TrainingSaver& saver_;
};

}  // namespace trireme::trainer
