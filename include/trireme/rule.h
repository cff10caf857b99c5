// Update rules and their numbers: the optimizers of PyTorch under the names of their formulas, rules for
// large batches, and steepest descent under a norm.
#pragma once

#include <trireme/version.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trireme {
inline namespace TRIREME_ABI {

enum class RuleKind : std::uint8_t {
  kSgd,           ///< torch.optim.SGD
  kMomentum,      ///< torch.optim.SGD(momentum=…)
  kNesterov,      ///< torch.optim.SGD(momentum=…, nesterov=True)
  kAdam,          ///< torch.optim.Adam: weight decay is added to the gradient
  kAdamW,         ///< torch.optim.AdamW: weight decay shrinks the weights by itself
  kSignSgd,       ///< every weight moves by the rate, against the sign of its gradient
  kLion,          ///< Chen et al. 2023: the sign of a momentum; weight decay shrinks the weights by itself
  kMuon,          ///< Jordan et al. 2024: matrices by an orthogonalized momentum, the rest by adamw
  kLamb,          ///< You et al. 2020: adam's update, as long as the tensor's weights
  kLars,          ///< You et al. 2017: momentum, with a rate for each tensor
  kSteepestL2,    ///< steepest descent under the Euclidean norm
  kSteepestLinf,  ///< … under the greatest absolute value
  kSteepestL1,    ///< … under the sum of absolute values: one weight moves
  kSteepestLp,    ///< … under the norm with exponent p
  kSteepestSpectral,  ///< … under the greatest singular value of a matrix; the rest by steepest:l2
};

/// The numbers of a rule; its kind ignores those that it has no use for. `default_rule` fills in what users
/// of PyTorch expect.
struct RuleSpec {
  RuleKind kind = RuleKind::kSgd;
  double rate = 0.01;          ///< the learning rate that a schedule starts from; α of steepest descent
  double momentum = 0.9;       ///< momentum, nesterov, lars and muon
  double beta1 = 0.9;          ///< adam, adamw, lamb, lion, and muon for what is no matrix
  double beta2 = 0.999;        ///< the same
  double epsilon = 1e-8;       ///< the same but lion
  double weight_decay = 0;     ///< all
  double p = 3;                ///< steepest:lp: more than 1
  double trust = 0.001;        ///< lars: the trust coefficient, η in the paper
  double phi_least = 0;        ///< lamb: the norm of a tensor's weights counts as at least this
  double phi_most = 10;        ///< lamb: and as at most this; infinity: no limit
  double vector_rate = 0.015;  ///< muon: what is no matrix has this times the rate
  bool whole_model = false;    ///< steepest: one norm of all parameters instead of one for each
  bool svd = false;            ///< steepest:spectral: by a singular value decomposition, not by an iteration

  bool operator==(const RuleSpec&) const = default;
};

/// The rule with the defaults of PyTorch or else of its authors:
///
///   adam, adamw          rate 0.001; adamw: weight decay 0.01
///   lion                 rate 0.0001, beta2 0.99
///   muon                 rate 0.02, momentum 0.95, weight decay 0.01; for what is no matrix rate 0.0003,
///                        beta2 0.95, epsilon 1e-10
///   lamb                 rate 0.001, epsilon 1e-6, weight decay 0.01
///   lars                 rate 0.1, trust 0.001, weight decay 0.0005
///   signsgd              rate 0.001
///   steepest:l2          rate 0.02, which is that of sgd; the right rate of the others depends on the model:
///                        linf 0.00005, l1 1, lp and spectral 0.03
///   all others           rate 0.01 and momentum 0.9, for which PyTorch 1.13 has no defaults
[[nodiscard]] TRIREME_API RuleSpec default_rule(RuleKind kind);

/// "sgd", "momentum", "nesterov", "adam", "adamw", "signsgd", "lion", "muon", "lamb", "lars", "steepest:l2",
/// "steepest:linf", "steepest:l1", "steepest:lp", "steepest:spectral".
[[nodiscard]] TRIREME_API std::string_view name(RuleKind kind);
[[nodiscard]] TRIREME_API std::span<const RuleKind> all_rule_kinds();

/// The name of the kind, and p if there is one: "steepest:lp=3".
[[nodiscard]] TRIREME_API std::string name(const RuleSpec& spec);

/// Throws `Error` that lists the kinds.
[[nodiscard]] TRIREME_API RuleKind parse_rule_kind(std::string_view text);

/// The default rule of a kind, with p if it is given: "adam", "steepest:lp=1.5". Throws `Error` that lists
/// the names, or says what is wrong with p.
[[nodiscard]] TRIREME_API RuleSpec parse_rule(std::string_view text);

/// Whether rules of this kind look at that number of theirs.
[[nodiscard]] TRIREME_API bool uses(RuleKind kind, double RuleSpec::*number);

/// Throws `Error` that names the first number that is out of range, and gives the range.
TRIREME_API void check(const RuleSpec& spec);

}  // namespace TRIREME_ABI
}  // namespace trireme
