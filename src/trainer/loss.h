// The loss of what a model says of samples: cross entropy for classes, the mean of squared errors for
// numbers.
#pragma once

#include <torch/torch.h>

namespace trireme::trainer {

enum class Over { kMean, kSum };

/// `labels` are whole numbers for classes, and then `outputs` has one number for each class; or floats, and
/// `outputs` has one number for each sample. The mean or the sum over the samples.
[[nodiscard]] inline torch::Tensor loss_of(const torch::Tensor& outputs, const torch::Tensor& labels,
                                           Over over) {
  namespace functional = torch::nn::functional;
  if (labels.is_floating_point()) {
    auto options = functional::MSELossFuncOptions();
    over == Over::kSum ? options.reduction(torch::kSum) : options.reduction(torch::kMean);
    return functional::mse_loss(outputs.squeeze(1), labels, options);
  }
  auto options = functional::CrossEntropyFuncOptions();
  over == Over::kSum ? options.reduction(torch::kSum) : options.reduction(torch::kMean);
  return functional::cross_entropy(outputs, labels, options);
}

}  // namespace trireme::trainer
