// From samples as a file has them to samples that can be trained on: some are held back for the test, all are
// checked, and the normalization is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/dataset.h"

namespace trireme::data {

/// Moves a share of the samples, at least one and not all, to the empty part for the test. Which ones depends
/// on the seed and the number of samples alone, so all workers choose the same. Both parts keep the order of
/// the file. Throws `Error` (bad input) if there are fewer than two samples.
void hold_back_test(Split& split, double share, std::uint64_t seed);

/// Sets the normalization of both parts: the one that is kept, or else one of this kind from the training
/// samples. Goes through all samples once where that is needed; refuses with `Error` (bad input) numbers that
/// are not finite, and names the file, the sample and the feature. Paths are for messages.
void settle_normalization(Split& split, NormalizeKind kind, const std::optional<Normalization>& kept,
                          const std::string& train_path, const std::string& test_path);

}  // namespace trireme::data
