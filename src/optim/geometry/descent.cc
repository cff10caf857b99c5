#include "optim/geometry/descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "optim/geometry/steepest.h"

namespace trireme::optim {
namespace {

using Kind = DescentRule::Kind;
using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// A rule with its state: what it adds to θ in the next step.
class Walker {
 public:
  Walker(const LinearSystem& system, const DescentRule& rule)
      : system_(system), rule_(rule), scales_(feature_scales(system)) {
    const bool has_moments =
        rule.kind == Kind::kMomentum || rule.kind == Kind::kNesterov || rule.kind == Kind::kAdam;
    if (has_moments) mean_.resize(system.unknowns());
    if (rule.kind == Kind::kAdam) square_.resize(system.unknowns());
  }

  [[nodiscard]] Numbers change(const Numbers& gradient, const Numbers& residuals, double rate) {
    constexpr double kMomentum = DescentRule::kMomentumFactor;
    switch (rule_.kind) {
      case Kind::kSgd:
        return times(-rate, gradient);
      case Kind::kMomentum:
        remember(kMomentum, 1, gradient);
        return times(-rate, mean_);
      case Kind::kNesterov:
        remember(kMomentum, 1, gradient);
        return by_element([&](std::size_t i) { return -rate * (gradient[i] + kMomentum * mean_[i]); });
      case Kind::kAdam:
        return adam(gradient, rate);
      case Kind::kSignSgd:
        return by_element([&](std::size_t i) {
          return -rate * static_cast<double>((gradient[i] > 0) - (gradient[i] < 0));
        });
      case Kind::kSteepest:
        return steepest_update(rule_.norm, gradient, rate).update;
      case Kind::kEpochAdam:
        return times(rate, epoch_adam(gradient, residuals));
      case Kind::kRescaledSgd:
        break;
    }
    return by_element([&](std::size_t i) { return -rate * gradient[i] / (scales_[i] * scales_[i]); });
  }

  // The direction of epoch-adam, for a rate of 1.
  [[nodiscard]] Numbers epoch_adam(const Numbers& gradient, const Numbers& residuals) const {
    Numbers squares(system_.unknowns());
    for (std::size_t k = 0; k < system_.size(); ++k) {
      for (std::size_t i = 0; i < squares.size(); ++i) {
        const double own = 2 * residuals[k] * system_.equations()[k].coefficients[i];
        squares[i] += own * own / static_cast<double>(system_.size());
      }
    }
    return by_element(
        [&](std::size_t i) { return squares[i] > 0 ? -gradient[i] / std::sqrt(squares[i]) : 0.0; });
  }

 private:
  template <typename Element>
  [[nodiscard]] Numbers by_element(Element element) const {
    Numbers all(system_.unknowns());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = element(i);
    return all;
  }
  [[nodiscard]] Numbers times(double factor, const Numbers& numbers) const {
    return by_element([&](std::size_t i) { return factor * numbers[i]; });
  }
  void remember(double keep, double add, const Numbers& gradient) {
    for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] = keep * mean_[i] + add * gradient[i];
  }
  [[nodiscard]] Numbers adam(const Numbers& gradient, double rate) {
    constexpr double kBeta1 = 0.9;
    constexpr double kBeta2 = 0.999;
    constexpr double kEpsilon = 1e-8;
    power1_ *= kBeta1;
    power2_ *= kBeta2;
    remember(kBeta1, 1 - kBeta1, gradient);
    for (std::size_t i = 0; i < square_.size(); ++i) {
      square_[i] = kBeta2 * square_[i] + (1 - kBeta2) * gradient[i] * gradient[i];
    }
    return by_element([&](std::size_t i) {
      return -rate * (mean_[i] / (1 - power1_)) / (std::sqrt(square_[i] / (1 - power2_)) + kEpsilon);
    });
  }

  const LinearSystem& system_;
  DescentRule rule_;
  Numbers scales_;
  Numbers mean_;    // m; empty for rules without
  Numbers square_;  // v of adam
  double power1_ = 1;
  double power2_ = 1;
};

// How far to go along a direction until the loss is least: −gᵀd / dᵀHd, where dᵀHd is twice the mean of
// (aᵀd)².
double exact_step(const LinearSystem& system, const Numbers& gradient, const Numbers& direction) {
  double curvature = 0;
  for (const Equation& equation : system.equations()) {
    const double along = dot(equation.coefficients, direction);
    curvature += 2 * along * along / static_cast<double>(system.size());
  }
  return curvature > 0 ? -dot(gradient, direction) / curvature : 0;
}

// Where the loss is least, and how near to it is there.
struct Target {
  Target(const LinearSystem& system, const Solutions& solutions)
      : residuals(system.residuals(solutions.least)) {
    constexpr double kNear = 1e-12;
    double largest = 0;
    for (const Equation& equation : system.equations()) {
      double size = std::abs(equation.right);
      for (std::size_t i = 0; i < solutions.least.size(); ++i) {
        size += std::abs(equation.coefficients[i] * solutions.least[i]);
      }
      largest = std::max(largest, size);
    }
    near = kNear * largest;
  }

  [[nodiscard]] bool is_near(const Numbers& others) const {
    return std::equal(others.begin(), others.end(), residuals.begin(),
                      [&](double a, double b) { return std::abs(a - b) <= near; });
  }

  Numbers residuals;
  double near;
};

bool is_kept(std::int64_t step, std::int64_t last_kept) {
  constexpr std::int64_t kEach = 100;
  if (step <= kEach || step - last_kept >= last_kept / 20) return true;
  std::int64_t digit = step;
  while (digit % 10 == 0) digit /= 10;
  return digit == 1 || digit == 2 || digit == 5;
}

std::int64_t most_steps(const LinearSystem& system) {
  constexpr std::int64_t kMost = 1'000'000;
  constexpr std::int64_t kMostWork = 2'000'000'000;  // coefficients, in all steps: a second or two
  return std::min(kMost, kMostWork / static_cast<std::int64_t>(system.size() * system.unknowns()));
}

double first_rate(const Solutions& solutions) {
  const double largest = length({.kind = VectorNorm::Kind::kLinf}, solutions.least);
  return largest > 0 ? largest / 10 : 1;  // any, if the solution is 0
}

// How much of the largest stable rate is taken. Momentum adds up about ten steps.
double stable_share(const DescentRule& rule) {
  return rule.kind == Kind::kMomentum || rule.kind == Kind::kNesterov ? 0.025 : 0.25;
}

class Run {
 public:
  Run(const LinearSystem& system, const Solutions& solutions, const DescentRule& rule,
      std::optional<double> rate)
      : system_(system),
        target_(system, solutions),
        limit_(rate_limit(system, rule)),
        searches_line_(rule.kind == Kind::kEpochAdam && !rate),
        walker_(system, rule),
        theta_(system.unknowns()),
        residuals_(system.residuals(theta_)) {
    if (!rate && !searches_line_) rate = limit_ ? stable_share(rule) * limit_->rate : first_rate(solutions);
    rate_ = rate.value_or(1);
    descent_.rule = rule;
    descent_.rate = rate;
    descent_.path.push_back(here());
  }

  Descent to_the_end() {
    const std::int64_t most = most_steps(system_);
    while (!target_.is_near(residuals_) && step_ < most) {
      take_step();
      require_bounded();
      if (is_kept(step_, descent_.path.back().step)) descent_.path.push_back(here());
    }
    if (descent_.path.back().step != step_) descent_.path.push_back(here());
    descent_.has_converged = target_.is_near(residuals_);
    if (!descent_.has_converged && limit_ && limit_->is_sharp && *descent_.rate >= limit_->rate) {
      refuse_rate(fmt::format("after {} steps the residual is {:.3g}", step_, here().residual));
    }
    return std::move(descent_);
  }

 private:
  [[nodiscard]] PathPoint here() const { return {step_, root_mean_square(residuals_), theta_}; }

  void take_step() {
    const Numbers gradient = system_.gradient(residuals_);
    Numbers change = walker_.change(gradient, residuals_, rate_);
    if (searches_line_) {
      const double size = exact_step(system_, gradient, change);
      for (double& one : change) one *= size;
    }
    for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] += change[i];
    residuals_ = system_.residuals(theta_);
    ++step_;
    if (!limit_ && !searches_line_) halve_if_past(change);
  }

  // A step is past the least loss on its way if the loss rises in its direction where it ends.
  void halve_if_past(const Numbers& change) {
    constexpr std::int64_t kPatienceOfAdam = 20;  // its mean goes on for about 10 steps
    const std::int64_t patience = descent_.rule.kind == Kind::kAdam ? kPatienceOfAdam : 1;
    if (step_ - halved_ < patience || dot(system_.gradient(residuals_), change) <= 0) return;
    rate_ /= 2;
    halved_ = step_;
  }

  void require_bounded() const {
    constexpr double kMuch = 1000;
    const double first = descent_.path.front().residual;
    const double now = here().residual;
    if (!limit_ || now <= kMuch * first) return;
    refuse_rate(
        fmt::format("after {} steps the residual has grown from {:.3g} to {:.3g}", step_, first, now));
  }

  [[noreturn]] void refuse_rate(const std::string& why) const {
    throw bad_input(fmt::format("{} does not converge with a rate of {:.6g}: {}", name_of(descent_.rule),
                                *descent_.rate, why),
                    fmt::format("give a rate below {:.6g}, {} ({})", limit_->rate,
                                limit_->is_sharp ? "the largest stable one" : "where it surely converges",
                                limit_->formula));
  }

  const LinearSystem& system_;
  Target target_;
  std::optional<RateLimit> limit_;
  bool searches_line_;
  Walker walker_;
  Numbers theta_;
  Numbers residuals_;
  double rate_ = 0;  // of the next step
  std::int64_t step_ = 0;
  std::int64_t halved_ = 0;  // after this step
  Descent descent_;
};

}  // namespace

Descent descend(const LinearSystem& system, const Solutions& solutions, const DescentRule& rule,
                std::optional<double> rate) {
  if (rate && !(*rate > 0 && std::isfinite(*rate))) {
    throw bad_input(fmt::format("the rate is {:.6g}", *rate), "give a number above 0");
  }
  return Run(system, solutions, rule, rate).to_the_end();
}

}  // namespace trireme::optim
