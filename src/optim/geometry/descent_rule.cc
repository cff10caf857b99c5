#include "optim/geometry/descent_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "optim/geometry/least_norm.h"

namespace trireme::optim {
namespace {

using Kind = DescentRule::Kind;

constexpr std::string_view kSteepestPrefix = "steepest:";

constexpr std::array kPlainNames = {
    std::pair{Kind::kSgd, "sgd"},
    std::pair{Kind::kMomentum, "momentum"},
    std::pair{Kind::kNesterov, "nesterov"},
    std::pair{Kind::kAdam, "adam"},
    std::pair{Kind::kSignSgd, "signsgd"},
    std::pair{Kind::kEpochAdam, "epoch-adam"},
    std::pair{Kind::kRescaledSgd, "rescaled-sgd"},
};

bool moves_by_l2(const DescentRule& rule) {
  return rule.kind == Kind::kSgd || rule.kind == Kind::kMomentum || rule.kind == Kind::kNesterov ||
         (rule.kind == Kind::kSteepest && rule.norm.kind == VectorNorm::Kind::kL2);
}

// The rules that move by L2, also in rescaled features: the limit of sgd times a factor.
RateLimit limit_of_l2(const LinearSystem& system, const DescentRule& rule) {
  constexpr double kMomentum = DescentRule::kMomentumFactor;
  const bool is_rescaled = rule.kind == Kind::kRescaledSgd;
  const double eigenvalue = largest_eigenvalue(
      system, is_rescaled ? feature_scales(system) : std::vector<double>(system.unknowns(), 1.0));
  double factor = 1;
  if (rule.kind == Kind::kMomentum) factor = 1 + kMomentum;
  if (rule.kind == Kind::kNesterov) factor = (1 + kMomentum) / (1 + 2 * kMomentum);
  if (rule.kind == Kind::kSteepest) factor = 2;
  const std::string_view below = is_rescaled          ? "the number of coefficients other than 0"
                                 : system.size() == 1 ? "‖a‖²"
                                                      : "the largest eigenvalue of the mean of a·aᵀ";
  return {.rate = factor / eigenvalue,
          .is_sharp = true,
          .formula = fmt::format("{:.3g}/{}{}", factor, below,
                                 is_rescaled && system.size() > 1 ? ", rescaled" : "")};
}

// Steps fall as long as α < 4/(the largest curvature along a vector of norm 1). For L1 that is one of the
// coordinates. Otherwise each equation adds at most 2‖a‖*² to it, or exactly this if it is the only one.
RateLimit limit_of_steepest(const LinearSystem& system, const VectorNorm& norm) {
  double curvature = 0;
  if (norm.kind == VectorNorm::Kind::kL1) {
    const std::vector<double> scales = feature_scales(system);
    const double largest = *std::max_element(scales.begin(), scales.end());
    curvature = 2 * largest * largest;
  } else {
    for (const Equation& equation : system.equations()) {
      const double dual = dual_length(norm, equation.coefficients);
      curvature += 2 * dual * dual / static_cast<double>(system.size());
    }
  }
  const bool is_one = system.size() == 1;
  const std::string_view mean =
      norm.kind == VectorNorm::Kind::kL1 ? "the largest mean of a_i²" : "the mean of ‖a‖*²";
  return {
      .rate = 4 / curvature, .is_sharp = is_one, .formula = is_one ? "2/‖a‖*²" : fmt::format("2/{}", mean)};
}

}  // namespace

std::string name_of(const DescentRule& rule) {
  if (rule.kind == Kind::kSteepest) return std::string(kSteepestPrefix) + name_of(rule.norm);
  return std::find_if(kPlainNames.begin(), kPlainNames.end(),
                      [&](const auto& one) { return one.first == rule.kind; })
      ->second;
}

DescentRule parse_descent_rule(std::string_view text) {
  for (const auto& [kind, name] : kPlainNames) {
    if (text == name) return {.kind = kind};
  }
  if (text.starts_with(kSteepestPrefix)) {
    return {.kind = Kind::kSteepest, .norm = parse_norm(text.substr(kSteepestPrefix.size()))};
  }
  throw bad_input(fmt::format("unknown rule '{}'", printable(text)),
                  "the rules are sgd, momentum, nesterov, adam, signsgd, steepest:l1, steepest:l2, "
                  "steepest:linf, steepest:lp=P, epoch-adam and rescaled-sgd");
}

std::string name_of(const LeastNorm& least) {
  return least.is_rescaled ? "rescaled-l2" : name_of(least.norm);
}

std::optional<LeastNorm> promised(const LinearSystem& system, const DescentRule& rule) {
  if (moves_by_l2(rule)) return LeastNorm{.norm = {.kind = VectorNorm::Kind::kL2}};
  if (rule.kind == Kind::kRescaledSgd) {
    return LeastNorm{.norm = {.kind = VectorNorm::Kind::kL2}, .is_rescaled = true};
  }
  // Adam's epsilon keeps its steps from being signs.
  if (system.size() > 1 || rule.kind == Kind::kAdam) return std::nullopt;
  if (rule.kind == Kind::kSteepest) return LeastNorm{.norm = rule.norm};
  return LeastNorm{.norm = {.kind = VectorNorm::Kind::kLinf}};
}

std::vector<double> least_solution(const LinearSystem& system, const LeastNorm& least) {
  if (least.is_rescaled) return least_rescaled(system, feature_scales(system));
  if (least.norm.kind == VectorNorm::Kind::kL2) return solve(system).least;
  return least_of_one(system.equations().front(), least.norm);
}

double length(const LinearSystem& system, const LeastNorm& least, std::span<const double> theta) {
  if (!least.is_rescaled) return length(least.norm, theta);
  std::vector<double> rescaled = feature_scales(system);
  for (std::size_t i = 0; i < rescaled.size(); ++i) rescaled[i] *= theta[i];
  return length(least.norm, rescaled);
}

std::optional<RateLimit> rate_limit(const LinearSystem& system, const DescentRule& rule) {
  if (moves_by_l2(rule) || rule.kind == Kind::kRescaledSgd) return limit_of_l2(system, rule);
  if (rule.kind == Kind::kSteepest) return limit_of_steepest(system, rule.norm);
  return std::nullopt;
}

}  // namespace trireme::optim
