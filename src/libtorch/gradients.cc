#include "libtorch/gradients.h"

#include <fmt/format.h>

#include <utility>

#include "api/world_impl.h"
#include "base/error.h"
#include "base/types.h"

namespace trireme::libtorch {
namespace {

exec::ElementType element_type_of(const NamedTensor& parameter) {
  const torch::ScalarType type = parameter.tensor.scalar_type();
  if (type == torch::kFloat32) return exec::ElementType::kFloat32;
  if (type == torch::kFloat64) return exec::ElementType::kFloat64;
  throw bad_input(fmt::format("the parameter {} is of {}; float32 and float64 are exchanged", parameter.name,
                              c10::toString(type)),
                  "train in float32: net->to(torch::kFloat32)");
}

bool is_same_memory(const torch::Tensor& a, const torch::Tensor& b) {
  return a.defined() && a.data_ptr() == b.data_ptr();
}

// libtorch wants gradients in the order of their parameter if its memory has no gaps.
bool may_be_gradient_of(const torch::Tensor& parameter, const torch::Tensor& view) {
  return parameter.device().is_cpu() &&
         (parameter.strides() == view.strides() || !parameter.is_non_overlapping_and_dense());
}

}  // namespace

void require_type(const NamedTensor& parameter, torch::ScalarType type) {
  const torch::ScalarType now = parameter.tensor.scalar_type();
  if (now == type) return;
  throw bad_input(fmt::format("the parameter {} was of {} when the Exchange was made and is of {} now",
                              parameter.name, c10::toString(type), c10::toString(now)),
                  fmt::format("convert the module before the Exchange is made: net->to(torch::k{})",
                              now == torch::kFloat64 ? "Float64" : "Float32"));
}

std::vector<rounds::BucketLayout> lay_out(std::span<const NamedTensor> parameters, std::size_t bucket_bytes) {
  std::vector<rounds::GradientSize> sizes;
  for (const NamedTensor& parameter : parameters) {
    sizes.push_back({parameter.tensor.numel(), element_type_of(parameter)});
  }
  return rounds::lay_out(sizes, bucket_bytes);
}

Gradients::Gradients(WorldAccess::Inside& inside, std::vector<NamedTensor> parameters,
                     std::size_t bucket_bytes)
    : inside_(inside),
      parameters_(std::move(parameters)),
      bucket_bytes_(bucket_bytes),
      places_(parameters_.size()),
      found_(parameters_.size()) {}

// The program may have kept a gradient, or a part of it.
Gradients::~Gradients() {
  for (Place& place : places_) {
    place.zeros.reset();
    const torch::Tensor& view = place.view;
    if (!view.defined() || (view.use_count() == 1 && view.storage().use_count() == 1)) continue;
    const torch::Tensor copy = view.clone();
    view.storage().set_data_ptr(copy.storage().set_data_ptr({}));
  }
}

void Gradients::place(const rounds::ParameterFlags& parameters) {
  std::vector<std::size_t> placed;
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters[i] == 0 || places_[i].view.defined()) continue;
    placed.push_back(i);
    tensors.push_back(parameters_[i]);
  }
  for (rounds::BucketLayout& layout : lay_out(tensors, bucket_bytes_)) {
    Bucket& bucket = buckets_.emplace_back();
    const std::size_t bytes = idx(layout.elements * exec::size_of(layout.type));
    void* data = nullptr;
    bucket.owner = inside_.memory(bytes, &data);
    bucket.bytes = {static_cast<std::byte*>(data), bytes};
    for (rounds::GradientPlace& place : layout.places) {
      place.gradient = placed[place.gradient];
      const torch::Tensor& parameter = parameters_[place.gradient].tensor;
      places_[place.gradient].bucket = buckets_.size() - 1;
      places_[place.gradient].view =
          torch::from_blob(bucket.bytes.data() + place.first * exec::size_of(layout.type), parameter.sizes(),
                           torch::TensorOptions().dtype(parameter.scalar_type()));
    }
    bucket.layout = std::move(layout);
  }
}

rounds::ParameterFlags Gradients::requiring() const {
  rounds::ParameterFlags flags(parameters_.size());
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = parameters_[i].tensor.requires_grad() ? 1 : 0;
  return flags;
}

bool Gradients::is_as_a_step_left_it(std::size_t parameter) const {
  const Place& place = places_[parameter];
  return place.zeros.defined() && parameters_[parameter].tensor.grad().is_same(place.zeros) &&
         place.zeros._version() == place.version;
}

void Gradients::take_in(std::size_t bucket, const rounds::ParameterFlags& trained) {
  const torch::NoGradGuard no_grad;
  for (const rounds::GradientPlace& place : buckets_[bucket].layout.places) {
    const std::size_t i = place.gradient;
    const torch::Tensor& view = places_[i].view;
    torch::Tensor& gradient = parameters_[i].tensor.mutable_grad();
    require_type(parameters_[i], view.scalar_type());
    found_[i] = 0;
    if (is_as_a_step_left_it(i)) continue;  // and so is its place
    const bool in_place = is_same_memory(gradient, view);
    if (trained[i] != 0 && gradient.defined()) {
      found_[i] = 1;
      if (!in_place) view.copy_(gradient.is_sparse() ? gradient.to_dense() : gradient);
    } else {
      if (in_place) gradient = view.clone();  // what is there stays the program's
      view.zero_();
    }
  }
}

void Gradients::weigh(std::size_t bucket, std::int64_t samples) {
  const Bucket& memory = buckets_[bucket];
  const auto type = memory.layout.type == exec::ElementType::kFloat32 ? torch::kFloat32 : torch::kFloat64;
  torch::Tensor numbers = torch::from_blob(memory.bytes.data(), {memory.layout.elements}, type);
  // The mean of no samples may be NaN.
  if (samples == 0) numbers.zero_();
  if (samples > 1) numbers.mul_(samples);
}

void Gradients::give_back(const rounds::ParameterFlags& parameters, bool after_step) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters[i] == 0) continue;
    Place& place = places_[i];
    const torch::Tensor& parameter = parameters_[i].tensor;
    torch::Tensor& gradient = parameter.mutable_grad();
    if (!may_be_gradient_of(parameter, place.view)) {
      gradient = torch::empty_like(parameter).copy_(place.view);
    } else if (!is_same_memory(gradient, place.view)) {
      gradient = place.view;
    }
    place.zeros = after_step ? gradient : torch::Tensor();
    place.version = gradient._version();
  }
}

}  // namespace trireme::libtorch
