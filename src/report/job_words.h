// A job and its cluster in a few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.h"

namespace trireme::report {

/// "16 workers", "100 rounds", "25,000,000 parameters of 4 bytes", "10 Gbit/s", …; without the strategy and
/// without the key `left_out` (such as "job.workers").
[[nodiscard]] std::vector<std::string> job_words(const sim::Scenario& scenario, std::string_view left_out);

}  // namespace trireme::report
