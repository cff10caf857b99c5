#include "sim/model/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/closed_form.h"

namespace trireme::sim {
namespace {

constexpr std::int64_t kMost = 2'000'000'000;
// The memory of a node with its window of steps, and of a message under way.
constexpr double kBytesPerNode = 6000;
constexpr double kBytesPerMessage = 128;

}  // namespace

void require_few(double number, std::string_view things, std::string_view hint) {
  if (number <= static_cast<double>(kMost)) return;
  throw bad_input(fmt::format("the simulation would have {:.3g} {}, and {} are the most", number, things,
                              with_commas(kMost)),
                  std::string(hint));
}

double working_bytes(const plan::PlanSpec& spec) {
  const plan::ClosedForm form = plan::closed_form(spec);
  const double in_a_step =
      static_cast<double>(form.messages) / static_cast<double>(std::max<std::int64_t>(form.steps, 1));
  return kBytesPerNode * spec.nodes() + kBytesPerMessage * in_a_step;
}

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word != "MemAvailable:") continue;
    std::int64_t kibibytes = 0;
    file >> kibibytes;
    return kibibytes * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

void require_memory(double bytes, std::int64_t available) {
  if (bytes < static_cast<double>(available)) return;
  throw bad_input(fmt::format("the simulation would need {}, and there are {}",
                              bytes_in_words(static_cast<std::int64_t>(bytes)), bytes_in_words(available)),
                  "take fewer workers or rounds, or less time");
}

}  // namespace trireme::sim
