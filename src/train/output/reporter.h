// Rank 0 reports on a training: to people on standard error and output, and in the run's folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/system/status_line.h"
#include "train/output/introduction.h"
#include "train/output/progress.h"
#include "train/output/run_folder.h"
#include "train/output/summary.h"
#include "train/train_job.h"

namespace trireme::train {

/// The result of an evaluation, over the samples of all workers.
struct Evaluation {
  double loss = 0;                 ///< a mean
  std::optional<double> accuracy;  ///< 0 … 1; nothing where there are no classes
};

class Reporter {
 public:
  /// Begins the run's folder, if there is to be one.
  explicit Reporter(const TrainJob& job);

  void introduce(const Introduction& introduction);
  /// One line on standard error.
  void tell(const std::string& line);
  /// Called after each step. `logged`: whether the log gets a line for this step.
  void step(const Progress& progress, bool logged, std::int64_t epoch, double rate);
  /// `ends_epoch`: after the last step of this epoch, and not somewhere in it.
  void evaluated(std::int64_t step, std::int64_t epoch, bool ends_epoch, const Evaluation& evaluation);
  /// A checkpoint is complete: so large, and written in so many seconds, of which steps have waited some.
  void saved(std::int64_t step, std::uint64_t bytes, double seconds, double waited);
  /// In modes other than sync: more lines for schedule.jsonl.
  void add_schedule(const TrainConfig& config, const std::string& writes);
  /// Throws `std::runtime_error` when standard output takes nothing, and `Error` when lines of the metrics
  /// or the schedule could not be written.
  void finish(const TrainSummary& summary);

 private:
  void add_lines(const std::function<void(RunFolder&)>& add);
  void add_metrics(const report::Json& line);

  bool json_;
  std::optional<StatusLine> status_;
  std::optional<RunFolder> folder_;
  std::optional<Error> lost_lines_;
};

}  // namespace trireme::train
