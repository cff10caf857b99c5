// What each node holds before an operation, and what it must hold afterwards.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

/// Slices in ascending order, empty ones left out. In a worker's own memory they lie one after another: so
/// the elements of `before` are those that it brings, and the elements of `after` those that it gets. The
/// memory of other elements is only used on the way.
struct Holdings {
  std::vector<Slice> before;
  std::vector<Slice> after;

  friend bool operator==(const Holdings&, const Holdings&) = default;
};

/// | operation      | before      | after             |
/// |----------------|-------------|-------------------|
/// | sum            | all         | all, as sums      |
/// | broadcast      | root: all   | all               |
/// | gather         | chunk k     | root: all         |
/// | all-gather     | chunk k     | all               |
/// | scatter        | root: all   | chunk k           |
/// | reduce-scatter | all         | chunk k, as a sum |
/// | all-to-all     | row k       | chunk k of each row |
///
/// for worker k; a server holds nothing before and afterwards. What is not a sum is unchanged.
[[nodiscard]] Holdings holdings(const PlanSpec& spec, Rank node);

/// The elements of some slices together.
[[nodiscard]] std::int64_t total(const std::vector<Slice>& slices);

}  // namespace trireme::plan
