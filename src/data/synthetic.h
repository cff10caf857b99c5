// Data sets generated from a seed, for use without data files: the same bits on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/dataset.h"

namespace trireme::data {

enum class SyntheticKind {
  kBlobs,    ///< one Gaussian cluster for each class, around a random centre; any shape
  kLinear,   ///< random values, labelled by the largest output of a random linear map; any shape
  kStripes,  ///< noisy stripes of a direction and width for each class, anywhere in the image: for
             ///< convolutions
};

/// "blobs", "linear" or "stripes". Throws `Error` (bad input) with the nearest of them for any other name.
[[nodiscard]] SyntheticKind synthetic_kind(std::string_view name);
[[nodiscard]] std::string_view to_string(SyntheticKind kind);

struct SyntheticSpec {
  SyntheticKind kind = SyntheticKind::kBlobs;
  std::int64_t train = 6000;               ///< samples to train on
  std::int64_t test = 1000;                ///< samples to test with
  std::vector<std::int64_t> shape = {20};  ///< of one sample; for stripes {channels, height, width}
  std::int64_t classes = 10;
  std::uint64_t seed = 0;
};

/// A shape suited to the kind: {20}, or {1, 28, 28} for stripes.
[[nodiscard]] std::vector<std::int64_t> usual_shape(SyntheticKind kind);

/// Train and test come from the same distribution. Sample i does not depend on the number of samples. In
/// blobs and stripes, sample i has label i modulo the classes, so shuffle them. Throws `Error` (bad input) if
/// a number in the spec makes no sense, a sample would have more than 2²² values or all of them more than
/// 2³², there are more than 1,000 classes, or stripes would be wider than the image.
[[nodiscard]] Split make_synthetic(const SyntheticSpec& spec);

}  // namespace trireme::data
