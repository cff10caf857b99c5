// A small net, its inputs and its loss, for tests of training.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/types.h"

namespace trireme::libtorch {

inline torch::nn::Sequential small_net(std::uint64_t seed) {
  torch::manual_seed(seed);
  return torch::nn::Sequential(torch::nn::Linear(5, 4), torch::nn::ReLU(), torch::nn::Linear(4, 3));
}

// Seeds are global: nets are made one at a time.
inline torch::nn::Sequential net_of(Rank rank) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  return small_net(static_cast<std::uint64_t>(rank));
}

inline torch::Tensor input_of(Rank rank, std::int64_t samples = 2) {
  return torch::arange(samples * 5, torch::kFloat32).reshape({samples, 5}).mul(0.1).sub(0.3 * rank);
}

inline torch::Tensor loss_of(torch::nn::Sequential& net, const torch::Tensor& input) {
  return net->forward(input).square().mean();
}

inline std::string bytes_of(const std::vector<torch::Tensor>& tensors) {
  std::string bytes;
  for (const torch::Tensor& tensor : tensors) {
    bytes.append(static_cast<const char*>(tensor.contiguous().data_ptr()), tensor.nbytes());
  }
  return bytes;
}

inline std::string weights_of(const torch::nn::Sequential& net) { return bytes_of(net->parameters()); }

}  // namespace trireme::libtorch
