#include "train/gradients.h"

#include <fmt/format.h>

#include "api/world_impl.h"
#include "base/error.h"
#include "base/types.h"

namespace trireme {
namespace {

ElementType element_type_of(const NamedTensor& parameter) {
  const torch::ScalarType type = parameter.tensor.scalar_type();
  if (type == torch::kFloat32) return ElementType::kFloat32;
  if (type == torch::kFloat64) return ElementType::kFloat64;
  throw bad_input(fmt::format("the parameter {} is of {}; float32 and float64 are exchanged", parameter.name,
                              c10::toString(type)),
                  "train in float32: net->to(torch::kFloat32)");
}

std::vector<GradientSize> sizes_of(const std::vector<NamedTensor>& parameters) {
  std::vector<GradientSize> sizes;
  for (const NamedTensor& parameter : parameters) {
    sizes.push_back({parameter.tensor.numel(), element_type_of(parameter)});
  }
  return sizes;
}

bool is_same_memory(const torch::Tensor& a, const torch::Tensor& b) {
  return a.defined() && a.data_ptr() == b.data_ptr();
}

}  // namespace

Gradients::Gradients(WorldAccess::Inside& inside, const std::vector<NamedTensor>& parameters,
                     std::size_t bucket_bytes) {
  for (const NamedTensor& parameter : parameters) {
    if (parameter.tensor.requires_grad()) parameters_.push_back(parameter);
  }
  views_.resize(parameters_.size());
  bucket_of_.resize(parameters_.size());
  for (BucketLayout& layout : lay_out(sizes_of(parameters_), bucket_bytes)) {
    Bucket& bucket = buckets_.emplace_back();
    bucket.bytes = WorldAccess::memory(inside, idx(layout.elements * size_of(layout.type)), bucket.owner);
    for (const GradientPlace& place : layout.places) {
      const torch::Tensor& parameter = parameters_[place.gradient].tensor;
      bucket_of_[place.gradient] = buckets_.size() - 1;
      views_[place.gradient] =
          torch::from_blob(bucket.bytes.data() + place.first * size_of(layout.type), parameter.sizes(),
                           torch::TensorOptions().dtype(parameter.scalar_type()));
    }
    bucket.layout = std::move(layout);
  }
  for (std::size_t i = 0; i < buckets_.size(); ++i) take_in(i);
  give_back();
}

Gradients::~Gradients() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].tensor.mutable_grad();
    if (is_same_memory(gradient, views_[i])) gradient.reset();
  }
}

void Gradients::take_in(std::size_t bucket) {
  const torch::NoGradGuard no_grad;
  for (const GradientPlace& place : buckets_[bucket].layout.places) {
    const std::size_t i = place.gradient;
    const torch::Tensor& gradient = parameters_[i].tensor.grad();
    if (!gradient.defined()) {
      views_[i].zero_();
    } else if (!is_same_memory(gradient, views_[i])) {
      views_[i].copy_(gradient.is_sparse() ? gradient.to_dense() : gradient);
    }
  }
}

void Gradients::give_back() {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].tensor.mutable_grad();
    if (is_same_memory(gradient, views_[i])) continue;
    const torch::Device device = parameters_[i].tensor.device();
    gradient = device.is_cpu() ? views_[i] : views_[i].to(device);
  }
}

}  // namespace trireme
