// The tensors of a module, and how all workers come to hold the same ones.
#pragma once

#include <torch/torch.h>

#include <span>
#include <string>
#include <vector>

#include "api/world_impl.h"

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

/// A tensor's own memory where it is plain: contiguous, on the CPU. Else a copy.
class PlainTensor {
 public:
  explicit PlainTensor(const torch::Tensor& tensor);

  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(plain_.data_ptr()), plain_.nbytes()};
  }
  /// The tensor takes what is in the copy, if it is one.
  void give_back() const;
  /// The copy takes what is in the tensor.
  void take_in() const;

 private:
  torch::Tensor tensor_;
  torch::Tensor plain_;
};

/// *Together*, by all nodes, with tensors of the same sizes and types: afterwards all hold the bytes of this
/// rank's.
void take_from(Rank rank, WorldAccess::Inside& inside, const std::vector<NamedTensor>& tensors);
/// *Together*, by all nodes. Afterwards all hold the average of those that take part, float32 and float64;
/// `parts` is how many do. Other types are left alone.
void average_numbers(WorldAccess::Inside& inside, const std::vector<NamedTensor>& tensors, bool takes_part,
                     std::int64_t parts);

}  // namespace trireme
