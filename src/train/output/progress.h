// What is told of a training while it goes on.
#pragma once

#include <cstdint>
#include <string>

namespace trireme::train {

/// Where a training is.
struct Progress {
  std::int64_t step = 0;  ///< the first is 1
  std::int64_t steps = 0;
  double loss = 0;
  double samples_per_s = 0;
  std::int64_t bytes_per_step = 0;  ///< that are sent
  std::int64_t messages_per_step = 0;
  double seconds_left = 0;
};

/// "step 50 of 704, 6:59 left: loss 0.5312, 1,590 samples/s, 10.1 MB and 24 messages per step".
[[nodiscard]] std::string in_words(const Progress& progress);

}  // namespace trireme::train
