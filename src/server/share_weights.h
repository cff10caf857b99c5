// The weights of one share and their update: what a server holds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "optim/rule_spec.h"
#include "rounds/update/weight_update.h"
#include "server/placement.h"

namespace trireme::server {

/// The rule of a variable in a step with this rate.
using RuleOf = std::function<RuleSpec(std::size_t variable, double rate)>;

class ShareWeights {
 public:
  /// A part of a variable as memory, and the shape of the variable where it is whole.
  struct Part {
    std::span<float> weights{};
    optim::TensorShape shape{};
  };
  /// By part of the share. The weights outlive it.
  ShareWeights(const Share& share, std::vector<Part> parts);

  /// Updates parts that have a gradient. `share` holds the gradients of all, and weights afterwards.
  void apply(std::span<float> share, const std::vector<bool>& has_gradient, double rate, const RuleOf& rule);
  /// `share` holds the weights of all parts, but for those that it has already.
  void copy_to(std::span<float> share, const std::vector<bool>& has_already = {}) const;

  [[nodiscard]] std::size_t parts() const { return share_.parts.size(); }
  [[nodiscard]] rounds::WeightUpdate& update() { return update_; }
  [[nodiscard]] const Share& share() const { return share_; }

 private:
  const Share share_;
  std::vector<Part> parts_;
  rounds::WeightUpdate update_;
  rounds::PieceSteps steps_;
};

}  // namespace trireme::server
