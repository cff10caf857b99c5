// How the numbers of a file become those that a model sees: (v − offset) / scale, computed in double and
// rounded once to float.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "data/numbers.h"

namespace trireme::data {

enum class NormalizeKind : std::uint8_t {
  kNone,  ///< the numbers as they are
  kUnit,  ///< to 0 … 1: uint8 by offset 0 and scale 255; other types by the least number of all training
          ///< samples and the distance from there to the greatest
  kStandard,  ///< each feature (each place in a sample) by its mean in the training samples and its standard
              ///< deviation there (the root of the mean square); if that is 0, by 1
};

/// The numbers by which samples are normalized. They come from the training samples, and test samples and
/// resumed trainings use the same.
struct Normalization {
  // Both have the same size: 0, the numbers stay as they are; 1, for all features; else one for each.
  std::vector<double> offset;
  std::vector<double> scale;  ///< above 0

  friend bool operator==(const Normalization&, const Normalization&) = default;
};

/// What a checkpoint keeps: "offset" and "scale".
using NamedNumbers = std::map<std::string, std::vector<double>>;
[[nodiscard]] NamedNumbers named_numbers(const Normalization& normalization);
/// The same normalization again, bit by bit. Throws `Error` (bad input) if a name is missing, the sizes do
/// not fit samples with so many features, a number is not finite, or a scale is not above 0.
[[nodiscard]] Normalization normalization_of(const NamedNumbers& numbers, std::int64_t features);

/// Finds the normalization while all training samples pass by, in one order.
class NormalizationFit {
 public:
  NormalizationFit(NormalizeKind kind, NumberType type, std::int64_t features);

  /// It depends on the samples.
  [[nodiscard]] bool needs_samples() const;
  void add(std::span<const double> sample);
  [[nodiscard]] Normalization result() const;

 private:
  NormalizeKind kind_;
  NumberType type_;
  std::int64_t samples_ = 0;
  double least_ = 0;
  double greatest_ = 0;
  std::vector<double> mean_;     // by Welford's method, which loses no digits
  std::vector<double> squares_;  // sums of squared distances from the mean
};

/// Writes as many numbers as `out` holds from the first on, a whole number of samples, normalized.
void normalize(const Numbers& numbers, std::int64_t first, const Normalization& normalization,
               std::span<float> out);

}  // namespace trireme::data
