// Gradients and weights of a module on their way to the shares of servers and back.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libtorch/module_tensors.h"
#include "rounds/parameter_groups.h"
#include "server/placement.h"
#include "server/share_weights.h"

namespace trireme::libtorch {

/// All parameters in the servers' shares. Throws `Error` where one is not of float32.
[[nodiscard]] server::Placement placement_of(const std::vector<NamedTensor>& parameters, Rank servers,
                                             bool whole_tensors);

/// The rule of each parameter in a step of this rule. The groups outlive it.
[[nodiscard]] server::RuleOf rule_of(const rounds::ParameterGroups& groups, const RuleSpec& rule);

/// Nothing is recorded for backward.
class ModuleShares {
 public:
  /// They outlive it.
  ModuleShares(const std::vector<NamedTensor>& parameters, const server::Placement& placement);

  /// Throws `Error` that names a parameter which is not of float32 any more.
  void require_types() const;
  /// A gradient that is there, but for zeros that `leave_zeros` has left.
  [[nodiscard]] bool has_gradient(std::size_t parameter) const;
  /// Limits the norm of all gradients; see optim/norm.h.
  [[nodiscard]] float clip_factor(double most) const;
  /// Puts gradients into a share, times the factor; zeros where there are none. Returns which parts have one.
  std::vector<bool> put_gradients(std::size_t server, float factor, std::span<float> share) const;
  void leave_zeros();

  /// The parameters get the weights of a share, but for those that were frozen all the time, which are the
  /// program's own. Call `give_back` when they have those of all.
  void take_weights(std::size_t server, std::span<const float> share);
  void give_back() const;
  /// The weights of a share as memory, which is that of the parameters where it is plain; else call `take_in`
  /// before it is used, and `give_back_all` afterwards.
  [[nodiscard]] std::vector<server::ShareWeights::Part> parts(std::size_t server) const;
  void take_in() const;
  void give_back_all() const;

 private:
  struct Zeros {
    torch::Tensor gradient;  // that a step has left
    std::uint32_t version = 0;
  };

  void note_trained();

  const std::vector<NamedTensor>& parameters_;
  const server::Placement& placement_;
  std::vector<PlainTensor> weights_;  // by parameter
  std::vector<Zeros> zeros_;          // likewise
  std::vector<bool> trained_;         // likewise: it has required a gradient
};

}  // namespace trireme::libtorch
