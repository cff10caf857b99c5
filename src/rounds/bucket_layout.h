// The layout of gradients in buckets, each of which is exchanged as one buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/kernels/element_type.h"

namespace trireme::rounds {

/// The size of one gradient that is to be placed; they come in the order of registration.
struct GradientSize {
  std::int64_t elements = 0;
  exec::ElementType type = exec::ElementType::kFloat32;
};

/// The place of one gradient in its bucket.
struct GradientPlace {
  std::size_t gradient = 0;  ///< its number in the order of registration
  std::int64_t first = 0;    ///< element
  std::int64_t count = 0;
};

struct BucketLayout {
  exec::ElementType type = exec::ElementType::kFloat32;
  std::int64_t elements = 0;
  std::vector<GradientPlace> places{};  ///< in the order in which they lie there, without gaps
};

/// Backward reaches the last gradients first, so they lie in the first buckets. A bucket is full when the
/// next gradient would make it larger than `bucket_bytes`; a single gradient may be larger. Each holds one
/// type. The layout depends on nothing else, so that the same job gives the same bits whoever exchanges how.
[[nodiscard]] std::vector<BucketLayout> lay_out(std::span<const GradientSize> gradients,
                                                std::size_t bucket_bytes);

/// Where gradients begin in the bucket, but for the first.
[[nodiscard]] std::vector<std::int64_t> borders_of(const BucketLayout& layout);

}  // namespace trireme::rounds
