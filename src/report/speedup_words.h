// The gain from many workers in words, for one forecast and for a sweep.
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

/// A number of workers compared with one worker alone.
struct Compared {
  std::int64_t workers = 1;
  bool slower = false;
};
/// "2 to 5 are slower than one"; empty if none of the tried numbers is slower. The numbers are ascending. If
/// some numbers in between were not tried, they are named one by one or, if there are many, as "those from 2
/// to 64".
[[nodiscard]] std::string slower_words(const std::vector<Compared>& looked_at);

}  // namespace trireme::report
