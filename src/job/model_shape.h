// Which samples a model can take, known before libtorch is asked.
#pragma once

#include <cstdint>
#include <span>

#include "config/train_config.h"

namespace trireme {

/// Throws `Error` (bad input) when samples of this shape do not fit: linear and mlp take any, cnn takes
/// images of {channels, height, width} that can be halved twice.
void require_fit(const TrainConfig::Model& model, std::span<const std::int64_t> shape);

}  // namespace trireme
