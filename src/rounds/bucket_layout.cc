#include "rounds/bucket_layout.h"

#include <algorithm>

namespace trireme::rounds {
namespace {

bool fits(const BucketLayout& bucket, const GradientSize& gradient, std::size_t bucket_bytes) {
  const auto bytes =
      static_cast<std::size_t>((bucket.elements + gradient.elements) * exec::size_of(bucket.type));
  return bytes <= bucket_bytes;
}

}  // namespace

std::vector<BucketLayout> lay_out(std::span<const GradientSize> gradients, std::size_t bucket_bytes) {
  std::vector<BucketLayout> buckets;
  for (std::size_t i = gradients.size(); i-- > 0;) {
    const GradientSize& gradient = gradients[i];
    // Each type has one open bucket: the last that was begun.
    const auto open = std::find_if(buckets.rbegin(), buckets.rend(),
                                   [&](const BucketLayout& bucket) { return bucket.type == gradient.type; });
    const bool begins = open == buckets.rend() || !fits(*open, gradient, bucket_bytes);
    if (begins) buckets.push_back({.type = gradient.type});
    BucketLayout& bucket = begins ? buckets.back() : *open;
    bucket.places.push_back({.gradient = i, .first = bucket.elements, .count = gradient.elements});
    bucket.elements += gradient.elements;
  }
  return buckets;
}

std::vector<std::int64_t> borders_of(const BucketLayout& layout) {
  std::vector<std::int64_t> borders;
  for (const GradientPlace& place : layout.places) {
    if (place.first > 0) borders.push_back(place.first);
  }
  return borders;
}

}  // namespace trireme::rounds
