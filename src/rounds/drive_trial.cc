#include "rounds/drive_trial.h"

#include <fmt/format.h>

#include <algorithm>

namespace trireme::rounds {
namespace {

constexpr std::size_t kSkipped = 3;  // caches, threads and the others get used to it
constexpr std::size_t kRounds = 10;  // with those
constexpr double kWorthwhile = 0.98;

std::string in_words(Drive drive) {
  switch (drive) {
    case Drive::kAfter:
      return "after backward";
    case Drive::kHooks:
      return "during backward, by its hooks";
    case Drive::kThread:
      return "during backward, by a thread";
  }
  return "";
}

}  // namespace

void DriveTrial::took(double seconds) {
  if (over()) return;
  rounds_.push_back(seconds);
  if (rounds_.size() == kRounds) end_turn();
}

void DriveTrial::end_turn() {
  const auto first = rounds_.begin() + kSkipped;
  const auto middle = first + (rounds_.end() - first) / 2;
  std::nth_element(first, middle, rounds_.end());
  medians_[turn_] = *middle;
  rounds_.clear();
  if (++turn_ < kWays.size()) {
    current_ = kWays[turn_];
    return;
  }
  std::size_t best = 0;
  for (std::size_t way = 1; way < kWays.size(); ++way) {
    if (medians_[way] < kWorthwhile * medians_[best]) best = way;
  }
  current_ = kWays[best];
}

std::string DriveTrial::in_words() const {
  std::string others;
  double time = 0;
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    if (kWays[way] == current_) {
      time = medians_[way];
    } else {
      others +=
          fmt::format("{}{} {:.2f} ms", others.empty() ? "" : ", ", name(kWays[way]), medians_[way] * 1e3);
    }
  }
  return fmt::format("{}, measured best: {:.2f} ms a step ({})", rounds::in_words(current_), time * 1e3,
                     others);
}

}  // namespace trireme::rounds
