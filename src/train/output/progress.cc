#include "train/output/progress.h"

#include <fmt/format.h>

#include "base/system/status_line.h"
#include "base/text.h"

namespace trireme::train {

std::string in_words(const Progress& progress) {
  return fmt::format("step {} of {}, {} left: loss {:.4f}, {} samples/s (mean {})",
                     with_commas(progress.step), with_commas(progress.steps),
                     clock_words(progress.seconds_left), progress.loss,
                     with_commas(static_cast<std::int64_t>(progress.samples_per_s)),
                     with_commas(static_cast<std::int64_t>(progress.mean_samples_per_s)));
}

}  // namespace trireme::train
