#include "libtorch/module_update.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"

namespace trireme::libtorch {
namespace {

using Clock = std::chrono::steady_clock;

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

ModuleUpdate::ModuleUpdate(const Gradients& gradients, rounds::BucketRunners& runners)
    : gradients_(gradients), runners_(runners) {}

void ModuleUpdate::add_buckets() {
  for (std::size_t i = buckets_.size(); i < gradients_.buckets().size(); ++i) {
    const rounds::BucketLayout& layout = gradients_.buckets()[i].layout;
    std::vector<PlainTensor> weights;
    std::vector<rounds::WeightPiece> pieces;
    for (const rounds::GradientPlace& place : layout.places) {
      weights.emplace_back(gradients_.parameters()[place.gradient].tensor);
      pieces.push_back({place.first, floats(weights.back().bytes())});
    }
    buckets_.push_back({std::move(weights), std::vector<bool>(pieces.size()),
                        rounds::WeightUpdate(std::move(pieces), runners_.own_slice(i))});
  }
}

void ModuleUpdate::require_float32() const {
  const auto is_float32 = [](const Gradients::Bucket& bucket) {
    return bucket.layout.type == exec::ElementType::kFloat32;
  };
  if (std::ranges::all_of(gradients_.buckets(), is_float32)) return;
  throw bad_input("step() needs all weights to be float32",
                  "train in float32: net->to(torch::kFloat32); or use "
                  "average() and an optimizer");
}

void ModuleUpdate::step(const RuleSpec& rule, float factor, const rounds::ParameterFlags& has_gradient) {
  require_float32();
  add_buckets();
  const torch::NoGradGuard no_grad;
  const bool in_shares = runners_.has_holders();
  const auto leave = in_shares ? rounds::WeightUpdate::Leave::kWeights : rounds::WeightUpdate::Leave::kZeros;
  Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const Gradients::Bucket& gradients = gradients_.buckets()[i];
    OfBucket& bucket = buckets_[i];
    for (std::size_t k = 0; k < bucket.weights.size(); ++k) {
      bucket.has_gradient[k] = has_gradient[gradients.layout.places[k].gradient] != 0;
      if (bucket.has_gradient[k]) bucket.weights[k].take_in();
    }
    bucket.update.apply(floats(gradients.bytes), factor, rule, bucket.has_gradient, leave);
  }
  seconds_ += seconds_since(start);
  runners_.hand_out();
  start = Clock::now();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const OfBucket& bucket = buckets_[i];
    if (in_shares) bucket.update.take(floats(gradients_.buckets()[i].bytes), bucket.has_gradient);
    for (std::size_t k = 0; k < bucket.weights.size(); ++k) {
      if (bucket.has_gradient[k]) bucket.weights[k].give_back();
    }
  }
  seconds_ += seconds_since(start);
}

}  // namespace trireme::libtorch
