// What many workers bring, as words: of one forecast and of a sweep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/planner/speedup.h"

namespace trireme::report {

/// "1.3", "35.8", "1,290".
[[nodiscard]] std::string short_number(double number);
/// "1.3 ×", "35.8 ×".
[[nodiscard]] std::string times_words(double factor);
/// "56.0 %".
[[nodiscard]] std::string percent_words(double part);
/// "1,290 samples/s".
[[nodiscard]] std::string rate_words(double samples_per_s);

/// How a number of workers compares with one worker alone.
struct Compared {
  std::int64_t workers = 1;
  bool slower = false;
};
/// "2 to 5 are slower than one"; empty where none of those are that were looked at, in rising order. Numbers
/// between which some were not looked at are named one by one or, where they are many, as "those from 2 to
/// 64".
[[nodiscard]] std::string slower_words(const std::vector<Compared>& looked_at);

}  // namespace trireme::report
