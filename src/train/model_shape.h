// Which samples a model can take and how large it is, known before libtorch is asked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/train_config.h"

namespace trireme::train {

/// Throws `Error` (bad input) when samples of this shape do not fit: linear and mlp take any, cnn takes
/// images of {channels, height, width} that can be halved twice.
void require_fit(const TrainConfig::Model& model, std::span<const std::int64_t> shape);

/// One parameter of a model.
struct ModelTensor {
  std::string name;  ///< "1.weight"
  std::vector<std::int64_t> sizes;

  bool operator==(const ModelTensor&) const = default;
};

/// The parameters of the model in the order of registration, for samples of a shape that fits.
[[nodiscard]] std::vector<ModelTensor> tensors_of(const TrainConfig::Model& model,
                                                  std::span<const std::int64_t> shape, std::int64_t outputs);

/// How many numbers they have together.
[[nodiscard]] std::int64_t parameters_of(const TrainConfig::Model& model, std::span<const std::int64_t> shape,
                                         std::int64_t outputs);

}  // namespace trireme::train
