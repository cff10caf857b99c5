// The summary of a training when it is over, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "report/exchange_report.h"
#include "train/output/server_share.h"
#include "train/output/throughput.h"
#include "train/step_board.h"
#include "train/train_config.h"

namespace trireme::train {

/// What servers did in modes other than sync.
struct FreeSummary {
  std::string mode;
  std::map<std::int64_t, std::int64_t> staleness{};  ///< of gradients applied, over all shares
  std::int64_t updates = 0;                          ///< gradients applied to the first share
  std::int64_t dropped = 0;                          ///< there
  std::int64_t duplicates = 0;                       ///< over all shares

  [[nodiscard]] double mean_staleness() const;
  [[nodiscard]] std::int64_t most_staleness() const {
    return staleness.empty() ? 0 : staleness.rbegin()->first;
  }
};

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
  std::optional<double> test_accuracy;  ///< 0 … 1; nothing where there are no classes
  std::int64_t messages = 0;            ///< of gradient exchanges, of all nodes, counted by the wire
  std::int64_t messages_planned = 0;
  std::int64_t bytes = 0;
  std::int64_t bytes_planned = 0;
  std::int64_t other_messages = 0;  ///< everything else that workers sent
  std::int64_t other_bytes = 0;
  TimeSplit time;                        ///< of a worker, the mean over all
  std::optional<FreeSummary> free;       ///< in modes other than sync
  std::vector<ServerShare> placement{};  ///< of dedicated servers
  std::string weights_sha256;
  std::string checkpoint;  ///< the folder of the newest one; empty: nothing was saved
  std::string weights;     ///< the file of the weights alone; empty: none was asked for

  /// The wire counted what the plan says.
  [[nodiscard]] bool as_planned() const { return messages == messages_planned && bytes == bytes_planned; }
};

/// "87.24 %", or "-" for none.
[[nodiscard]] std::string accuracy_in_words(const std::optional<double>& accuracy);
/// The number, or null.
[[nodiscard]] report::Json accuracy_in_json(const std::optional<double>& accuracy);

/// The document of `--json` and of summary.json: docs/train-json.md.
[[nodiscard]] report::Json to_json(const TrainSummary& summary);

/// The document of `--json` where a signal has ended the training.
[[nodiscard]] report::Json interrupted_json(const TrainConfig& config, const Reached& reached,
                                            const std::string& checkpoint);

/// The last lines of a training.
[[nodiscard]] std::string to_text(const TrainSummary& summary);

}  // namespace trireme::train
