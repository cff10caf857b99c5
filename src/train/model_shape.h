// Which samples a model can take and how large it is, known before libtorch is asked.
#pragma once

#include <cstdint>
#include <span>

#include "train/train_config.h"

namespace trireme::train {

/// Throws `Error` (bad input) when samples of this shape do not fit: linear and mlp take any, cnn takes
/// images of {channels, height, width} that can be halved twice.
void require_fit(const TrainConfig::Model& model, std::span<const std::int64_t> shape);

/// The number of parameters of the model, for samples of a shape that fits.
[[nodiscard]] std::int64_t parameters_of(const TrainConfig::Model& model, std::span<const std::int64_t> shape,
                                         std::int64_t classes);

}  // namespace trireme::train
