// The tensors of a module, and how all workers come to hold the same ones.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <span>
#include <string>
#include <vector>

#include "api/world_impl.h"
#include "optim/reach.h"
#include "rounds/round_note.h"

namespace trireme::libtorch {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

/// In the order of registration. A tensor that is registered under several names is there once, under the
/// first.
[[nodiscard]] std::vector<NamedTensor> parameters_of(const torch::nn::Module& module);
[[nodiscard]] std::vector<NamedTensor> buffers_of(const torch::nn::Module& module);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<NamedTensor>& tensors);

/// As update rules see it.
[[nodiscard]] inline optim::TensorShape shape_of(const torch::Tensor& tensor) {
  return optim::shape_of(std::span(tensor.sizes().data(), tensor.sizes().size()));
}

/// The memory of a tensor if it is plain: contiguous, on the CPU, and of the type that is asked for; else a
/// copy.
class PlainTensor {
 public:
  explicit PlainTensor(const torch::Tensor& tensor) : PlainTensor(tensor, tensor.scalar_type()) {}
  PlainTensor(const torch::Tensor& tensor, torch::ScalarType type);

  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(plain_.data_ptr()), plain_.nbytes()};
  }
  // Both are called without recording for backward:
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
/// *Together*, by all nodes, at the end of a round: makes buffers equal as `choice` says. Averages are over
/// the workers that take part; 16-bit numbers are added up in float32 and rounded once.
void share_buffers(WorldAccess::Inside& inside, ExchangeOptions::Buffers choice,
                   const std::vector<NamedTensor>& buffers, const rounds::Round& round, bool takes_part);

}  // namespace trireme::libtorch
