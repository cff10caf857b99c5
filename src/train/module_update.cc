#include "train/module_update.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace trireme {
namespace {

using Clock = std::chrono::steady_clock;

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool all_float32(const std::vector<NamedTensor>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const NamedTensor& parameter) {
    return parameter.tensor.scalar_type() == torch::kFloat32;
  });
}

}  // namespace

ModuleUpdate::ModuleUpdate(const Gradients& gradients, const BucketExchange& exchange)
    : buckets_(gradients.buckets()), possible_(all_float32(gradients.parameters())) {
  if (!possible_) return;
  for (const NamedTensor& parameter : gradients.parameters()) weights_.emplace_back(parameter.tensor);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    std::vector<WeightPiece> pieces;
    for (const GradientPlace& place : buckets_[i].layout.places) {
      pieces.push_back({place.first, floats(weights_[place.gradient].bytes())});
    }
    updates_.emplace_back(std::move(pieces), exchange.own_slice(i));
  }
}

void ModuleUpdate::step(const RuleSpec& rule, float factor, BucketExchange& exchange) {
  const torch::NoGradGuard no_grad;
  const bool in_shares = exchange.has_holders();
  const auto leave = in_shares ? WeightUpdate::Leave::kWeights : WeightUpdate::Leave::kZeros;
  Clock::time_point start = Clock::now();
  ++steps_;
  for (const PlainTensor& weights : weights_) weights.take_in();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    updates_[i].apply(floats(buckets_[i].bytes), factor, rule, steps_, leave);
  }
  seconds_ += seconds_since(start);
  exchange.hand_out();
  start = Clock::now();
  for (std::size_t i = 0; in_shares && i < buckets_.size(); ++i) updates_[i].take(floats(buckets_[i].bytes));
  for (const PlainTensor& weights : weights_) weights.give_back();
  seconds_ += seconds_since(start);
}

}  // namespace trireme
