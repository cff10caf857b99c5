#include "libtorch/module_shares.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "libtorch/gradients.h"
#include "optim/norm.h"
#include "rounds/bucket_layout.h"
#include "wire/wire.h"

namespace trireme::libtorch {
namespace {

std::span<float> floats(const PlainTensor& tensor) {
  const std::span<std::byte> bytes = tensor.bytes();
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

void copy(std::span<const float> from, std::span<float> into) {
  wire::copy_bytes(reinterpret_cast<std::byte*>(into.data()), reinterpret_cast<const std::byte*>(from.data()),
                   from.size_bytes());
}

PlainTensor plain_gradient(const torch::Tensor& gradient) {
  return PlainTensor(gradient.is_sparse() ? gradient.to_dense() : gradient);
}

// All of them in one, which is cut into the servers' shares.
rounds::BucketLayout one_bucket(const std::vector<NamedTensor>& parameters) {
  std::vector<rounds::BucketLayout> buckets = lay_out(parameters, std::numeric_limits<std::size_t>::max());
  const bool is_float32 = buckets.size() == 1 && buckets[0].type == exec::ElementType::kFloat32;
  if (is_float32 || buckets.empty()) return buckets.empty() ? rounds::BucketLayout{} : std::move(buckets[0]);
  throw bad_input("step() needs all weights to be float32", "train in float32: net->to(torch::kFloat32)");
}

}  // namespace

server::Placement placement_of(const std::vector<NamedTensor>& parameters, Rank servers, bool whole_tensors) {
  return server::place(one_bucket(parameters), servers, whole_tensors);
}

server::RuleOf rule_of(const rounds::ParameterGroups& groups, const RuleSpec& rule) {
  return [&groups, rule](std::size_t variable, double rate) {
    RuleSpec of_step = rule;
    of_step.rate = rate;
    return groups.rule_of(variable, of_step);
  };
}

ModuleShares::ModuleShares(const std::vector<NamedTensor>& parameters, const server::Placement& placement)
    : parameters_(parameters), placement_(placement), zeros_(parameters.size()), trained_(parameters.size()) {
  for (const NamedTensor& parameter : parameters_) weights_.emplace_back(parameter.tensor);
  note_trained();
}

void ModuleShares::note_trained() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    trained_[i] = trained_[i] || parameters_[i].tensor.requires_grad();
  }
}

void ModuleShares::require_types() const {
  for (const NamedTensor& parameter : parameters_) require_type(parameter, torch::kFloat32);
}

// Zeros that a step has left do not count, as in rounds.
bool ModuleShares::has_gradient(std::size_t parameter) const {
  const torch::Tensor& tensor = parameters_[parameter].tensor;
  const torch::Tensor& gradient = tensor.grad();
  if (!tensor.requires_grad() || !gradient.defined()) return false;
  const Zeros& zeros = zeros_[parameter];
  return !zeros.gradient.defined() || !gradient.is_same(zeros.gradient) ||
         gradient._version() != zeros.version;
}

float ModuleShares::clip_factor(double most) const {
  std::vector<double> sums;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!has_gradient(i)) continue;
    const PlainTensor plain = plain_gradient(parameters_[i].tensor.grad());
    const std::size_t at = sums.size();
    sums.resize(at + idx(optim::norm_blocks(parameters_[i].tensor.numel())));
    optim::sum_squares(floats(plain), std::span(sums).subspan(at));
  }
  return optim::clip_factor(optim::norm_of(sums), most);
}

std::vector<bool> ModuleShares::put_gradients(std::size_t server, float factor,
                                              std::span<float> numbers) const {
  const server::Share& share = placement_.shares[server];
  std::vector<bool> flags(share.parts.size());
  for (std::size_t i = 0; i < share.parts.size(); ++i) {
    const server::SharePart& part = share.parts[i];
    const std::span<float> place = numbers.subspan(idx(part.place), idx(part.count));
    flags[i] = has_gradient(part.variable);
    if (!flags[i]) {
      std::ranges::fill(place, 0.0F);
      continue;
    }
    const PlainTensor plain = plain_gradient(parameters_[part.variable].tensor.grad());
    copy(floats(plain).subspan(idx(part.first), idx(part.count)), place);
    optim::scale(place, factor);
  }
  return flags;
}

void ModuleShares::leave_zeros() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].tensor.mutable_grad();
    if (!gradient.defined() || !has_gradient(i)) continue;
    gradient.zero_();
    zeros_[i] = {gradient, static_cast<std::uint32_t>(gradient._version())};
  }
}

void ModuleShares::take_weights(std::size_t server, std::span<const float> share) {
  note_trained();
  for (const server::SharePart& part : placement_.shares[server].parts) {
    if (!trained_[part.variable]) continue;
    copy(share.subspan(idx(part.place), idx(part.count)),
         floats(weights_[part.variable]).subspan(idx(part.first), idx(part.count)));
  }
}

void ModuleShares::give_back() const {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (trained_[i]) weights_[i].give_back();
  }
}

void ModuleShares::give_back_all() const {
  for (const PlainTensor& weights : weights_) weights.give_back();
}

void ModuleShares::take_in() const {
  for (const PlainTensor& weights : weights_) weights.take_in();
}

std::vector<server::ShareWeights::Part> ModuleShares::parts(std::size_t server) const {
  std::vector<server::ShareWeights::Part> parts;
  for (const server::SharePart& part : placement_.shares[server].parts) {
    parts.push_back({floats(weights_[part.variable]).subspan(idx(part.first), idx(part.count)),
                     shape_of(parameters_[part.variable].tensor)});
  }
  return parts;
}

}  // namespace trireme::libtorch
