#include "server/placement.h"

#include <algorithm>

#include "plan/share.h"

namespace trireme::server {
namespace {

Share share_of(const rounds::BucketLayout& bucket, const plan::Slice& slice) {
  Share share;
  share.elements = slice.count;
  for (const rounds::GradientPlace& variable : bucket.places) {
    const std::int64_t first = std::max(variable.first, slice.first);
    const std::int64_t end = std::min(variable.first + variable.count, slice.end());
    if (first >= end) continue;
    share.parts.push_back({.variable = variable.gradient,
                           .first = first - variable.first,
                           .place = first - slice.first,
                           .count = end - first,
                           .is_whole = end - first == variable.count});
  }
  return share;
}

}  // namespace

std::int32_t Placement::busiest() const {
  const auto most = std::ranges::max_element(shares, {}, &Share::elements);
  return static_cast<std::int32_t>(most - shares.begin());
}

Placement place(const rounds::BucketLayout& bucket, std::int32_t servers, bool whole_variables) {
  Placement placement;
  placement.update = plan::spec_for(plan::Strategy::kParameterServer, 1, bucket.elements, servers);
  placement.update.variable_borders = rounds::borders_of(bucket);
  placement.update.whole_variables = whole_variables;
  for (std::int32_t j = 0; j < servers; ++j) {
    placement.shares.push_back(share_of(bucket, plan::share(placement.update, j)));
  }
  const auto filled =
      std::ranges::find_if(placement.shares, [](const Share& share) { return !share.empty(); });
  if (filled != placement.shares.end()) {
    placement.dispenser = static_cast<std::int32_t>(filled - placement.shares.begin());
  }
  return placement;
}

}  // namespace trireme::server
