// What the modes of a parameter server other than sync mean, in words.
#pragma once

#include <cstdint>
#include <string>

#include "plan/mode.h"

namespace trireme::report {

/// Lines that say who waits for whom, and what a run adds to the plan of one worker's update. `workers` is
/// how many there are, `messages` how many an update takes.
[[nodiscard]] std::string mode_words(const plan::Mode& mode, std::int32_t workers, std::int64_t messages);

}  // namespace trireme::report
