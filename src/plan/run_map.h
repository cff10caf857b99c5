// Memory as runs of equal symbolic values, for any number of elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/slice.h"
#include "plan/sum_pool.h"

namespace trireme {

/// Elements from `first` to the next run's first hold the same sum.
struct Run {
  std::int64_t first = 0;
  Sum sum = SumPool::kNothing;
  std::uint32_t unread_writer = 0;  ///< 1 + the number of the op that wrote it, until something reads it
};

class RunMap {
 public:
  RunMap() = default;
  /// `borders`: where runs will be cut (ascending, all inside the memory), so that cutting costs no shifting
  /// later.
  RunMap(std::int64_t elements, Sum sum, std::span<const std::int64_t> borders);

  /// The runs that make up the (non-empty) slice, cut at its ends.
  [[nodiscard]] std::span<Run> runs(const Slice& slice);
  /// Puts `made` in the place of `old`, which `runs` gave; both cover the same elements.
  void replace(std::span<Run> old, std::span<const Run> made);
  [[nodiscard]] std::span<const Run> all() const { return {runs_.data(), runs_.size() - 1}; }
  [[nodiscard]] std::int64_t end_of(const Run& run) const { return (&run + 1)->first; }

 private:
  [[nodiscard]] std::size_t guess(std::int64_t at) const;
  std::size_t cut(std::int64_t at);

  std::vector<Run> runs_;  // the last one only marks the end
};

}  // namespace trireme
