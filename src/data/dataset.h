// Samples and labels. Samples stay as they are in a file until a batch needs them as floats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/normalization.h"
#include "data/numbers.h"

namespace trireme::data {

/// Samples of one shape, each with its label: the number of its class, or any number for a regression.
struct Dataset {
  std::int64_t samples = 0;
  std::vector<std::int64_t> shape;      ///< of one sample: {channels, height, width}, or {features}
  std::int64_t classes = 0;             ///< labels are 0 … classes−1; 0: they are numbers to predict
  Numbers values;                       ///< row after row of `sample_size` numbers
  std::vector<double> labels;           ///< one for each sample
  std::vector<std::int64_t> rows = {};  ///< of each sample; empty: sample i is row i
  Normalization normalization = {.offset = {0}, .scale = {255}};

  /// The number of values in one sample: the product of the shape.
  [[nodiscard]] std::int64_t sample_size() const;

  /// The numbers that a model has to say of a sample: one for each class, or the one to predict.
  [[nodiscard]] std::int64_t outputs() const { return classes > 0 ? classes : 1; }

  /// The bytes of sample i.
  [[nodiscard]] std::span<const std::uint8_t> sample(std::int64_t i) const;

  /// Where sample i begins among the values.
  [[nodiscard]] std::int64_t first_value(std::int64_t i) const;

  friend bool operator==(const Dataset&, const Dataset&) = default;
};

/// The samples to train on, and those held back to measure the accuracy; both have the same shape, classes
/// and normalization.
struct Split {
  Dataset train;
  Dataset test;

  friend bool operator==(const Split&, const Split&) = default;
};

/// Writes the normalized samples with these numbers one after the other. `out` must hold `indices.size()`
/// times `sample_size()` numbers. Throws `Error` if they are in a file that has become shorter.
void gather_samples(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<float> out);

/// Writes the labels of these samples, one for each index.
void gather_labels(const Dataset& dataset, std::span<const std::int64_t> indices,
                   std::span<std::int64_t> out);
void gather_labels(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<float> out);

}  // namespace trireme::data
