// Rank 0 reports on a training: to people on standard error and output, and in the run's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/system/status_line.h"
#include "train/output/introduction.h"
#include "train/output/progress.h"
#include "train/output/run_folder.h"
#include "train/output/summary.h"
#include "train/train_job.h"

namespace trireme::train {

/// The result of an evaluation, over the samples of all workers.
struct Evaluation {
  double loss = 0;      ///< a mean
  double accuracy = 0;  ///< 0 … 1
};

class Reporter {
 public:
  /// Begins the run's folder, if there is to be one.
  explicit Reporter(const TrainJob& job);

  void introduce(const Introduction& introduction);
  /// Called after each step. `logged`: whether the log gets a line for this step.
  void step(const Progress& progress, bool logged, std::int64_t epoch, double rate);
  /// `ends_epoch`: after the last step of this epoch, and not somewhere in it.
  void evaluated(std::int64_t step, std::int64_t epoch, bool ends_epoch, const Evaluation& evaluation);
  /// Throws `std::runtime_error` when standard output takes nothing.
  void finish(const TrainSummary& summary);

 private:
  void tell(const std::string& line);

  bool json_;
  std::optional<StatusLine> status_;
  std::optional<RunFolder> folder_;
};

}  // namespace trireme::train
