// The progress of a training, as it is told while it goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trireme::train {

/// How far a training is.
struct Progress {
  std::int64_t step = 0;  ///< the first is 1
  std::int64_t steps = 0;
  double loss = 0;
  double samples_per_s = 0;       ///< since the line before
  double mean_samples_per_s = 0;  ///< since the training began, but for its first steps
  double seconds_left = 0;
  double seconds = 0;  ///< since the first step
  // In modes other than sync:
  std::optional<std::int64_t> updates{};  ///< gradients applied
  double staleness = 0;                   ///< their mean
  std::int64_t most_staleness = 0;
};

/// "step 50 of 704, 6:59 left: loss 0.5312, 1,590 samples/s (mean 1,602)".
[[nodiscard]] std::string in_words(const Progress& progress);

}  // namespace trireme::train
