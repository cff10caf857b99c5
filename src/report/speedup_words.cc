#include "report/speedup_words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace trireme::report {
namespace {

// Consecutive tried numbers that are all slower than one worker.
struct Run {
  std::vector<std::int64_t> numbers;

  [[nodiscard]] bool has_gaps() const { return numbers.back() - numbers.front() + 1 != std::ssize(numbers); }
};

std::vector<Run> slower_runs(const std::vector<Compared>& looked_at) {
  std::vector<Run> runs;
  bool goes_on = false;
  for (const Compared& one : looked_at) {
    const bool counts = one.slower && one.workers > 1;  // one worker with a server is not "many workers"
    if (counts && !goes_on) runs.emplace_back();
    if (counts) runs.back().numbers.push_back(one.workers);
    goes_on = counts;
  }
  return runs;
}

// The phrase for each run: "2 to 5", "7", "those from 2 to 64".
std::vector<std::string> parts_of(const std::vector<Run>& runs) {
  constexpr std::size_t kFew = 3;
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    if (run.numbers.size() > kFew || (run.numbers.size() == kFew && !run.has_gaps())) {
      parts.push_back(fmt::format("{}{} to {}", run.has_gaps() ? "those from " : "",
                                  with_commas(run.numbers.front()), with_commas(run.numbers.back())));
      continue;
    }
    for (const std::int64_t number : run.numbers) parts.push_back(with_commas(number));
  }
  return parts;
}

}  // namespace

std::string short_number(double number) {
  return number < 999.5 ? fmt::format("{:.3g}", number) : with_commas(std::llround(number));
}

std::string times_words(double factor) { return short_number(factor) + " ×"; }

std::string percent_words(double part) {
  const std::string digits = fmt::format("{:.1f}", 100 * part);
  const std::size_t point = digits.find('.');
  if (point == std::string::npos) return digits + " %";  // of nothing
  return with_commas(std::stoll(digits.substr(0, point))) + digits.substr(point) + " %";
}

std::string rate_words(double samples_per_s) { return short_number(samples_per_s) + " samples/s"; }

std::string slower_words(const std::vector<Compared>& looked_at) {
  constexpr std::size_t kMostParts = 6;
  const std::vector<Run> runs = slower_runs(looked_at);
  if (runs.empty()) return "";
  if (runs.size() == 1 && runs[0].numbers.size() == 1) {
    return fmt::format("{} are slower than one", counted(runs[0].numbers[0], "worker"));
  }
  std::vector<std::string> parts = parts_of(runs);
  if (parts.size() > kMostParts) {
    parts.resize(kMostParts - 1);
    parts.emplace_back("others");
  }
  std::string text = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text + " are slower than one";
}

}  // namespace trireme::report
