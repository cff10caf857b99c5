#include "plan/verifier/run_map.h"

#include <algorithm>

namespace trireme::plan::verifier {

RunMap::RunMap(std::int64_t elements, Sum sum, std::span<const std::int64_t> borders) {
  runs_.reserve(borders.size() + 2);
  if (elements > 0) runs_.push_back({0, sum, 0});
  for (const std::int64_t border : borders) {
    if (border > 0 && border < elements && border > runs_.back().first) runs_.push_back({border, sum, 0});
  }
  runs_.push_back({elements, SumPool::kNothing, 0});
}

// Most runs have about the same length. So a border is nearly always where equal lengths would put it, or one
// after that.
std::size_t RunMap::guess(std::int64_t at) const {
  const auto runs = static_cast<double>(runs_.size() - 1);
  const double place = static_cast<double>(at) / static_cast<double>(runs_.back().first) * runs;
  return std::min(static_cast<std::size_t>(place), runs_.size() - 1);
}

std::size_t RunMap::cut(std::int64_t at) {
  const std::size_t guessed = guess(at);
  if (runs_[guessed].first == at) return guessed;
  if (guessed + 1 < runs_.size() && runs_[guessed + 1].first == at) return guessed + 1;
  const auto found = std::lower_bound(runs_.begin(), runs_.end(), at,
                                      [](const Run& run, std::int64_t first) { return run.first < first; });
  const auto index = static_cast<std::size_t>(found - runs_.begin());
  if (found->first == at) return index;
  Run upper = *std::prev(found);
  upper.first = at;
  runs_.insert(found, upper);
  return index;
}

std::span<Run> RunMap::runs(const Slice& slice) {
  const std::size_t begin = cut(slice.first);
  // Most slices are exactly one run already, so look there before searching.
  const std::size_t end = runs_[begin + 1].first == slice.end() ? begin + 1 : cut(slice.end());
  return std::span(runs_).subspan(begin, end - begin);
}

void RunMap::replace(std::span<Run> old, std::span<const Run> made) {
  const auto begin = runs_.begin() + (old.data() - runs_.data());
  const std::size_t shared = std::min(old.size(), made.size());
  const auto rest = std::copy_n(made.begin(), shared, begin);
  if (made.size() > shared) {
    runs_.insert(rest, made.begin() + static_cast<std::ptrdiff_t>(shared), made.end());
  } else {
    runs_.erase(rest, begin + static_cast<std::ptrdiff_t>(old.size()));
  }
}

}  // namespace trireme::plan::verifier
