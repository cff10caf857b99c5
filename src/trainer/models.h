// The models that `trireme train` knows.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string>

#include "train/train_config.h"

namespace trireme::trainer {

/// For samples of a shape that passes `require_fit`, with one output for each class, or one for a number to
/// predict. Its weights depend on the seed alone. Threads may make models at the same time, as long as they
/// make nothing else by chance.
///
///   linear   one linear map
///   mlp      linear maps to each of the hidden widths, with relu after each; one to the outputs
///   cnn      twice a convolution (32, 64) by 3 × 3, relu, the largest of each 2 × 2; 128 with relu; outputs
[[nodiscard]] torch::nn::Sequential make_model(const train::TrainConfig::Model& model,
                                               std::span<const std::int64_t> shape, std::int64_t outputs,
                                               std::uint64_t seed);

/// SHA-256 of the bytes of all weights, in the order of registration.
[[nodiscard]] std::string digest_of_weights(const torch::nn::Module& module);

}  // namespace trireme::trainer
