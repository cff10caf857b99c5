// The folder of one training: config.toml, metrics.jsonl, summary.json, and rank-N.log beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/system/fd.h"
#include "base/types.h"
#include "report/exchange_report.h"
#include "train/train_job.h"

namespace trireme::train {

/// A training begins anew in a folder, or goes on there from a checkpoint of the same folder.
enum class RunStart { kAnew, kGoesOn };

[[nodiscard]] RunStart run_start(const TrainJob& job);

/// Makes the folder where it is not there. Throws `Error` (bad input) when that cannot be, and, for a
/// training that begins anew, when it holds the summary or checkpoints of another, or a file of one of our
/// names that no training has written: these are never written over, and a free name is suggested.
void prepare_run_folder(const std::filesystem::path& folder, RunStart start = RunStart::kAnew);

/// The same for rank 0 of a job, which takes the folder for that job: see run_lock.h. Other ranks get no
/// descriptor.
[[nodiscard]] Fd take_run_folder(const std::filesystem::path& folder, Rank rank,
                                 RunStart start = RunStart::kAnew);

/// The folder of a run, for the one node that writes it. Throws `std::runtime_error` when something cannot be
/// written, and `Error` (bad input) if a name leads to a file of somebody else's.
class RunFolder {
 public:
  /// Writes config.toml. A training that goes on after `step` keeps the metrics up to that, and has no
  /// summary until it ends.
  RunFolder(std::filesystem::path folder, const std::string& config, std::optional<std::int64_t> step = {});

  /// A line of metrics.jsonl, there for others at once.
  void add_metrics(const report::Json& line);
  /// schedule.jsonl: its first line, if it is not there yet, and those of more writes. A training that goes
  /// on keeps what was written up to its step, each of so many workers.
  void add_schedule(const std::string& first_line, const std::string& writes, std::int64_t workers);
  /// summary.json, whole or not at all.
  void finish(const report::Json& summary);

 private:
  void append(const Fd& file, const char* name, const std::string& lines);

  std::filesystem::path folder_;
  const std::optional<std::int64_t> step_;  // after which it goes on
  Fd metrics_;
  Fd schedule_;  // from its first lines on
};

}  // namespace trireme::train
