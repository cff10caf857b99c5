// Samples and labels in memory. They stay bytes until a batch needs them as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trireme::data {

/// Samples of one shape, each with the number of its class.
struct Dataset {
  std::int64_t samples = 0;
  std::vector<std::int64_t> shape;   ///< of one sample: {channels, height, width}, or {features}
  std::int64_t classes = 0;          ///< labels are 0 … classes−1
  std::vector<std::uint8_t> values;  ///< sample after sample; a byte v stands for v/255
  std::vector<std::int64_t> labels;  ///< one for each sample

  /// The number of values in one sample: the product of the shape.
  [[nodiscard]] std::int64_t sample_size() const;

  /// The bytes of sample i.
  [[nodiscard]] std::span<const std::uint8_t> sample(std::int64_t i) const;

  friend bool operator==(const Dataset&, const Dataset&) = default;
};

/// The samples to train on, and those held back to measure the accuracy; both have the same shape and
/// classes.
struct Split {
  Dataset train;
  Dataset test;

  friend bool operator==(const Split&, const Split&) = default;
};

/// Writes the samples with these numbers one after the other, each value as v/255, rounded once. `out` must
/// hold `indices.size()` times `sample_size()` numbers.
void gather_samples(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<float> out);

/// Writes the labels of these samples, one for each index.
void gather_labels(const Dataset& dataset, std::span<const std::int64_t> indices,
                   std::span<std::int64_t> out);

}  // namespace trireme::data
