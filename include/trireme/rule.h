// Update rules and their numbers: the optimizers of PyTorch under the names of their formulas.
#pragma once

#include <trireme/version.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace trireme {
inline namespace TRIREME_ABI {

enum class RuleKind : std::uint8_t {
  kSgd,       ///< torch.optim.SGD
  kMomentum,  ///< torch.optim.SGD(momentum=…)
  kNesterov,  ///< torch.optim.SGD(momentum=…, nesterov=True)
  kAdam,      ///< torch.optim.Adam: weight decay is added to the gradient
  kAdamW,     ///< torch.optim.AdamW: weight decay shrinks the weights by itself
};

/// The numbers of a rule; its kind ignores those that it has no use for. `default_rule` fills in what users
/// of PyTorch expect.
struct RuleSpec {
  RuleKind kind = RuleKind::kSgd;
  double rate = 0.01;       ///< the learning rate that a schedule starts from
  double momentum = 0.9;    ///< momentum and nesterov
  double beta1 = 0.9;       ///< adam and adamw
  double beta2 = 0.999;     ///< adam and adamw
  double epsilon = 1e-8;    ///< adam and adamw
  double weight_decay = 0;  ///< all

  bool operator==(const RuleSpec&) const = default;
};

/// The rule with PyTorch's defaults: a rate of 0.001 for adam and adamw, a weight decay of 0.01 for adamw.
/// PyTorch 1.13 has none for the rate of the others, which is 0.01 here, and for the momentum, which is 0.9.
[[nodiscard]] TRIREME_API RuleSpec default_rule(RuleKind kind);

/// "sgd", "momentum", "nesterov", "adam", "adamw".
[[nodiscard]] TRIREME_API std::string_view name(RuleKind kind);
[[nodiscard]] TRIREME_API std::span<const RuleKind> all_rule_kinds();

/// Throws `Error` that lists the kinds.
[[nodiscard]] TRIREME_API RuleKind parse_rule_kind(std::string_view text);

/// Throws `Error` that names the first number that is out of range, and gives the range.
TRIREME_API void check(const RuleSpec& spec);

}  // namespace TRIREME_ABI
}  // namespace trireme
