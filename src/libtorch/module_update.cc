#include "libtorch/module_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <span>
#include <utility>

#include "base/error.h"
#include "rounds/update/model_norm.h"

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

ModuleUpdate::ModuleUpdate(const Gradients& gradients, rounds::BucketRunners& runners, rounds::ShareSum& sum,
                           const std::vector<ParameterGroup>& groups)
    : gradients_(gradients),
      runners_(runners),
      sum_(sum),
      groups_(groups, names_of(gradients.parameters())) {}

void ModuleUpdate::add_buckets() {
  for (std::size_t i = buckets_.size(); i < gradients_.buckets().size(); ++i) {
    const rounds::BucketLayout& layout = gradients_.buckets()[i].layout;
    std::vector<PlainTensor> weights;
    std::vector<rounds::WeightPiece> pieces;
    for (const rounds::GradientPlace& place : layout.places) {
      const torch::Tensor& parameter = gradients_.parameters()[place.gradient].tensor;
      weights.emplace_back(parameter);
      pieces.push_back({place.first, floats(weights.back().bytes()), shape_of(parameter)});
    }
    rounds::PieceSteps steps{.rules = std::vector<RuleSpec>(pieces.size()),
                             .has_gradient = std::vector<bool>(pieces.size()),
                             .measures = std::vector<optim::Measure>(pieces.size())};
    buckets_.push_back({std::move(weights), std::move(steps),
                        rounds::WeightUpdate(std::move(pieces), runners_.own_slice(i))});
    if (saved_.is_there()) start(i);
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

void ModuleUpdate::require_updatable(const RuleSpec& rule, bool may_cut) const {
  require_float32();
  if (!may_cut) return;
  const std::vector<NamedTensor>& parameters = gradients_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const RuleSpec own = groups_.rule_of(i, rule);
    if (optim::reach(own, shape_of(parameters[i].tensor)) == optim::Reach::kElement) continue;
    throw bad_input(fmt::format("{} needs the whole of {}, and shares of the weights may cut it", name(own),
                                parameters[i].name),
                    "set ExchangeOptions::whole_tensors, or take another strategy than parameter-server");
  }
}

void ModuleUpdate::begin_step(const RuleSpec& rule, const rounds::ParameterFlags& has_gradient) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    OfBucket& bucket = buckets_[i];
    for (std::size_t k = 0; k < bucket.weights.size(); ++k) {
      const std::size_t parameter = gradients_.buckets()[i].layout.places[k].gradient;
      bucket.steps.rules[k] = groups_.rule_of(parameter, rule);
      bucket.steps.has_gradient[k] = has_gradient[parameter] != 0;
      if (bucket.steps.has_gradient[k]) bucket.weights[k].take_in();
    }
  }
}

// Where a rule has a norm of the whole model, all gradients come before any weight.
void ModuleUpdate::measure_model(float factor) {
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> measured;  // by parameter: bucket and place
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const rounds::BucketLayout& layout = gradients_.buckets()[i].layout;
    for (std::size_t k = 0; k < layout.places.size(); ++k) {
      const RuleSpec& rule = buckets_[i].steps.rules[k];
      if (!rule.whole_model || !buckets_[i].steps.has_gradient[k]) continue;
      const std::size_t parameter = layout.places[k].gradient;
      const optim::TensorShape shape = shape_of(gradients_.parameters()[parameter].tensor);
      if (optim::reach(rule, shape) == optim::Reach::kModel) measured[parameter] = {i, k};
    }
  }
  if (measured.empty()) return;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    rounds::PieceSteps& steps = buckets_[i].steps;
    std::ranges::fill(steps.measures, optim::Measure{});
    buckets_[i].update.measure(floats(gradients_.buckets()[i].bytes), factor, steps);
  }
  std::vector<rounds::MeasuredTensor> tensors;
  for (const auto& [parameter, at] : measured) {
    const rounds::PieceSteps& steps = buckets_[at.first].steps;
    tensors.push_back({steps.rules[at.second], steps.measures[at.second]});
  }
  rounds::complete_measures(tensors, runners_.has_holders() ? &sum_ : nullptr);
  auto next = tensors.begin();
  for (const auto& [parameter, at] : measured) {
    buckets_[at.first].steps.measures[at.second] = (next++)->measure;
  }
}

void ModuleUpdate::step(const RuleSpec& rule, float factor, const rounds::ParameterFlags& has_gradient) {
  require_float32();
  add_buckets();
  const torch::NoGradGuard no_grad;
  const bool in_shares = runners_.has_holders();
  const auto leave = in_shares ? rounds::WeightUpdate::Leave::kWeights : rounds::WeightUpdate::Leave::kZeros;
  Clock::time_point start = Clock::now();
  begin_step(rule, has_gradient);
  measure_model(factor);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    OfBucket& bucket = buckets_[i];
    bucket.update.apply(floats(gradients_.buckets()[i].bytes), factor, bucket.steps, leave);
  }
  seconds_ += seconds_since(start);
  runners_.hand_out();
  start = Clock::now();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const OfBucket& bucket = buckets_[i];
    if (in_shares) bucket.update.take(floats(gradients_.buckets()[i].bytes), bucket.steps.has_gradient);
    for (std::size_t k = 0; k < bucket.weights.size(); ++k) {
      if (bucket.steps.has_gradient[k]) bucket.weights[k].give_back();
    }
  }
  seconds_ += seconds_since(start);
}

void ModuleUpdate::start(std::size_t bucket) {
  buckets_[bucket].update.start_from(
      [this, bucket](std::size_t piece, std::int64_t first, optim::UpdateRule& rule) {
        const std::size_t parameter = gradients_.buckets()[bucket].layout.places[piece].gradient;
        return saved_.start(gradients_.parameters()[parameter].name, first, rule);
      });
}

void ModuleUpdate::start_from(std::shared_ptr<const checkpoint::RuleStateReader> saved) {
  saved_.set(std::move(saved));
  for (std::size_t i = 0; i < buckets_.size(); ++i) start(i);
}

std::vector<checkpoint::RuleStatePart> ModuleUpdate::state(bool of_unplaced) {
  add_buckets();
  saved_.forget();
  const auto name_of = [&](std::size_t parameter) { return gradients_.parameters()[parameter].name; };
  std::vector<checkpoint::RuleStatePart> parts;
  std::vector<bool> is_placed(gradients_.parameters().size());
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    rounds::WeightUpdate& update = buckets_[i].update;
    const std::vector<rounds::GradientPlace>& places = gradients_.buckets()[i].layout.places;
    for (const rounds::WeightUpdate::PieceState& of_piece : update.state()) {
      checkpoint::RuleStatePart part{gradients_.parameters()[places[of_piece.piece].gradient].name,
                                     of_piece.first, of_piece.rule->shape().count(), of_piece.steps};
      for (const optim::RuleState& state : of_piece.rule->state()) {
        part.states.push_back({std::string(state.name), state.values});
      }
      parts.push_back(std::move(part));
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      is_placed[places[k].gradient] = true;
      const plan::Slice own = update.part_of_piece(k);
      if (saved_.is_there() && !update.has_begun(k) && !own.empty()) {
        parts.push_back(saved_.part(name_of(places[k].gradient), own.first, own.count));
      }
    }
  }
  for (std::size_t i = 0; i < is_placed.size(); ++i) {
    if (!saved_.is_there() || !of_unplaced || is_placed[i]) continue;
    parts.push_back(saved_.part(name_of(i), 0, gradients_.parameters()[i].tensor.numel()));
  }
  std::erase_if(parts, [](const checkpoint::RuleStatePart& part) { return part.steps == 0; });
  return parts;
}

}  // namespace trireme::libtorch
