// The tensors of a module, and how all workers come to hold the same ones.
#pragma once

#include <torch/torch.h>
#include <trireme/trireme.h>

#include <string>
#include <vector>

namespace trireme {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

/// In the order of registration; one that is registered under several names once, under the first.
[[nodiscard]] std::vector<NamedTensor> parameters_of(const torch::nn::Module& module);
[[nodiscard]] std::vector<NamedTensor> buffers_of(const torch::nn::Module& module);

/// "0.weight [512, 784] float".
[[nodiscard]] std::string in_words(const NamedTensor& tensor);

/// *Together*, with tensors of the same sizes and types: afterwards all hold the bytes of rank 0's.
void take_from_rank_0(World& world, const std::vector<NamedTensor>& tensors);
/// *Together.* Afterwards all hold the average, of float32 and float64; other types are left alone.
void average_numbers(World& world, const std::vector<NamedTensor>& tensors);

}  // namespace trireme
