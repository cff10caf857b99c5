// Two files of arrays as a data set: one holds the samples, and the other their labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/dataset.h"
#include "data/labels.h"
#include "data/numbers.h"

namespace trireme::data {

/// An array and its path, because messages name both.
struct ArrayFile {
  std::string path;
  NumberArray array;

  [[nodiscard]] std::int64_t count() const { return array.dimensions[0]; }
};

/// Samples of h × w become {1, h, w}; c × h × w become {c, h, w}; f become {f}. Labels are n or n × 1. Throws
/// `Error` (bad input) that names the file if the dimensions are others, the numbers of samples and labels
/// differ, or a label is wrong. `noun` is what messages call a sample: "image".
[[nodiscard]] Dataset dataset_of(const ArrayFile& samples, const ArrayFile& labels, const LabelKind& kind,
                                 std::string_view noun);

/// Throws `Error` (bad input) unless samples of both have one shape.
void require_same_shape(const Dataset& train, const std::string& train_path, const Dataset& test,
                        const std::string& test_path, std::string_view noun);

/// The paths of npy files; without those for the test, some of the samples are held back (hold_back.h).
struct NpyPaths {
  std::string samples;
  std::string labels;
  std::string test_samples;
  std::string test_labels;
};

/// Maps the samples and reads the labels. Without paths for the test, its part is empty. Throws as
/// `dataset_of` and `read_npy` do.
[[nodiscard]] Split load_npy(const NpyPaths& paths, const LabelKind& kind);

}  // namespace trireme::data
