// What rank 0 tells of a training: to people on standard error and output, and into the run's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status_line.h"
#include "train/output/introduction.h"
#include "train/output/progress.h"
#include "train/output/run_folder.h"
#include "train/output/summary.h"
#include "train/train_job.h"

namespace trireme::train {

/// Of the samples of all workers.
struct Evaluation {
  double loss = 0;      ///< a mean
  double accuracy = 0;  ///< 0 … 1
};

class Reporter {
 public:
  /// Begins the run's folder, if there is to be one.
  explicit Reporter(const TrainJob& job);

  void introduce(const Introduction& introduction);
  /// After each step. `logged`: of one that is written down.
  void step(const Progress& progress, bool logged, std::int64_t epoch, double rate);
  void evaluated(std::int64_t step, std::int64_t epoch, const Evaluation& evaluation);
  /// Throws `std::runtime_error` when standard output takes nothing.
  void finish(const TrainSummary& summary);

 private:
  void tell(const std::string& line);

  bool json_;
  std::optional<StatusLine> status_;
  std::optional<RunFolder> folder_;
};

}  // namespace trireme::train
