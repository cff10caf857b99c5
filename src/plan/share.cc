#include "plan/share.h"

#include <algorithm>
#include <iterator>

namespace trireme::plan {
namespace {

// The distance of v from the even border j·p/s, times s, so that it is exact if the border is a fraction.
__int128 distance(const PlanSpec& spec, std::int32_t j, std::int64_t v) {
  const __int128 difference =
      static_cast<__int128>(v) * share_count(spec) - static_cast<__int128>(j) * spec.parameters;
  return difference < 0 ? -difference : difference;
}

// The nearest border of a variable or of the buffer; of two at one distance the lower.
std::int64_t nearest_variable(const PlanSpec& spec, std::int32_t j, std::int64_t even) {
  const auto& borders = spec.variable_borders;
  const auto above = std::upper_bound(borders.begin(), borders.end(), even);
  const std::int64_t lower = above == borders.begin() ? 0 : *std::prev(above);
  const std::int64_t upper = above == borders.end() ? spec.parameters : *above;
  return distance(spec, j, lower) <= distance(spec, j, upper) ? lower : upper;
}

std::int64_t share_border(const PlanSpec& spec, std::int32_t j) {
  const std::int32_t s = share_count(spec);
  const std::int64_t even = chunk_border(j, spec.parameters, s);
  if (j == 0 || j == s) return even;
  const std::int64_t nearest = nearest_variable(spec, j, even);
  if (spec.whole_variables) return nearest;
  // A shift of 1 % at both ends never empties a share of at least two elements.
  const bool is_near = spec.parameters / s >= 2 && distance(spec, j, nearest) * 100 <= spec.parameters;
  return is_near ? nearest : even;
}

}  // namespace

std::int32_t share_count(const PlanSpec& spec) {
  return spec.servers > 0 ? spec.servers : spec.shares_on_workers;
}

Slice share(const PlanSpec& spec, std::int32_t j) {
  const std::int64_t first = share_border(spec, j);
  return {first, share_border(spec, j + 1) - first};
}

std::int64_t filled_shares(const PlanSpec& spec) {
  const std::int32_t s = share_count(spec);
  if (!spec.whole_variables) return std::min<std::int64_t>(s, spec.parameters);
  std::int64_t filled = 0;
  for (std::int32_t j = 0; j < s; ++j) filled += share(spec, j).empty() ? 0 : 1;
  return filled;
}

Rank share_holder(const PlanSpec& spec, std::int32_t j) {
  if (spec.servers > 0) return spec.workers + j;
  return spec.order.rank_at(static_cast<Rank>(chunk_border(j, spec.workers, spec.shares_on_workers)));
}

std::int32_t share_held_by(const PlanSpec& spec, Rank node) {
  if (spec.servers > 0) return spec.is_server(node) ? node - spec.workers : -1;
  const Rank position = spec.order.position_of(node);
  // Only one share can have its place at this position: the first one whose place is not before it.
  const std::int64_t candidate =
      (static_cast<std::int64_t>(position) * spec.shares_on_workers + spec.workers - 1) / spec.workers;
  if (candidate >= spec.shares_on_workers) return -1;
  const auto j = static_cast<std::int32_t>(candidate);
  return share_holder(spec, j) == node ? j : -1;
}

}  // namespace trireme::plan
