#include "train/output/progress.h"

#include <fmt/format.h>

#include "base/status_line.h"
#include "base/text.h"

namespace trireme::train {

std::string in_words(const Progress& progress) {
  // What a narrow terminal cuts off is what never changes.
  return fmt::format("step {} of {}, {} left: loss {:.4f}, {} samples/s, {} and {} per step",
                     with_commas(progress.step), with_commas(progress.steps),
                     clock_words(progress.seconds_left), progress.loss,
                     with_commas(static_cast<std::int64_t>(progress.samples_per_s)),
                     bytes_in_words(progress.bytes_per_step), counted(progress.messages_per_step, "message"));
}

}  // namespace trireme::train
