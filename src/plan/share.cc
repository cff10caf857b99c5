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

std::int64_t share_border(const PlanSpec& spec, std::int32_t j) {
  const std::int32_t s = share_count(spec);
  const std::int64_t even = chunk_border(j, spec.parameters, s);
  // A shift of 1 % at both ends never empties a share of at least two elements.
  if (j == 0 || j == s || spec.parameters / s < 2) return even;

  const auto& borders = spec.variable_borders;
  const auto above = std::upper_bound(borders.begin(), borders.end(), even);
  const bool has_below = above != borders.begin();
  const bool has_above = above != borders.end();
  if (!has_below && !has_above) return even;
  const bool take_below =
      !has_above || (has_below && distance(spec, j, *std::prev(above)) <= distance(spec, j, *above));
  const std::int64_t nearest = take_below ? *std::prev(above) : *above;
  return distance(spec, j, nearest) * 100 <= spec.parameters ? nearest : even;
}

}  // namespace

std::int32_t share_count(const PlanSpec& spec) {
  return spec.servers > 0 ? spec.servers : spec.shares_on_workers;
}

Slice share(const PlanSpec& spec, std::int32_t j) {
  const std::int64_t first = share_border(spec, j);
  return {first, share_border(spec, j + 1) - first};
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
