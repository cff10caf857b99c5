// The summary of a training when it is over, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.h"
#include "report/exchange_report.h"
#include "train/output/throughput.h"
#include "train/step_board.h"
#include "train/train_config.h"

namespace trireme::train {

struct TrainSummary {
  Rank workers = 1;
  Rank servers = 0;      ///< dedicated ones
  std::string strategy;  ///< as it was run
  std::string wire;
  std::int64_t steps = 0;
  double samples_per_s = 0;  ///< of all workers, over the steps after the first 10
  double seconds = 0;        ///< from the first step to the last evaluation
  double start_s = 0;        ///< from the start of the program to the first step
  double loss = 0;           ///< of the last step, a mean over the samples of all workers
  double test_loss = 0;
  double test_accuracy = 0;   ///< 0 … 1
  std::int64_t messages = 0;  ///< of gradient exchanges, of all nodes, counted by the wire
  std::int64_t messages_planned = 0;
  std::int64_t bytes = 0;
  std::int64_t bytes_planned = 0;
  std::int64_t other_messages = 0;  ///< everything else that workers sent
  std::int64_t other_bytes = 0;
  TimeSplit time;  ///< of a worker, the mean over all
  std::string weights_sha256;

  /// The wire counted what the plan says.
  [[nodiscard]] bool as_planned() const { return messages == messages_planned && bytes == bytes_planned; }
};

/// The document of `--json` and of summary.json: docs/train-json.md.
[[nodiscard]] report::Json to_json(const TrainSummary& summary);

/// The document of `--json` where a signal has ended the training.
[[nodiscard]] report::Json interrupted_json(const TrainConfig& config, const Reached& reached);

/// The last lines of a training.
[[nodiscard]] std::string to_text(const TrainSummary& summary);

}  // namespace trireme::train
