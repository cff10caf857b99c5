// Memory as runs of equal symbolic values, for any number of elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/slice.h"
#include "plan/verifier/sum_pool.h"

namespace trireme::plan::verifier {

/// Elements from `first` to the next run's `first` hold the same sum.
struct Run {
  std::int64_t first = 0;
  Sum sum = SumPool::kNothing;
  std::uint32_t mark = 0;  ///< who wrote it, and whether anything has read it since; 0: nobody wrote it

  static std::uint32_t written_by(std::uint32_t op) { return 2 * (op + 1) + 1; }
  [[nodiscard]] bool is_written() const { return mark != 0; }
  [[nodiscard]] bool is_unread() const { return mark % 2 == 1; }
  [[nodiscard]] std::uint32_t writer() const { return mark / 2 - 1; }
  void set_read() { mark &= ~std::uint32_t{1}; }
};

class RunMap {
 public:
  RunMap() = default;
  /// `borders`: where runs will be cut (ascending, all inside the memory), so that later cuts need no
  /// shifting.
  RunMap(std::int64_t elements, Sum sum, std::span<const std::int64_t> borders);

  /// The runs that make up the (non-empty) slice, cut at its ends.
  [[nodiscard]] std::span<Run> runs(const Slice& slice);
  /// Replaces `old`, which `runs` returned, by `made`; both cover the same elements.
  void replace(std::span<Run> old, std::span<const Run> made);
  [[nodiscard]] std::span<const Run> all() const { return {runs_.data(), runs_.size() - 1}; }
  [[nodiscard]] std::int64_t end_of(const Run& run) const { return (&run + 1)->first; }

 private:
  [[nodiscard]] std::size_t guess(std::int64_t at) const;
  std::size_t cut(std::int64_t at);

  std::vector<Run> runs_;  // the last one only marks the end
};

}  // namespace trireme::plan::verifier
