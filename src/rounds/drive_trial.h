// Measures in the first rounds of a training which way to drive the exchange of gradients is fastest on this
// host.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "rounds/round_driver.h"

namespace trireme::rounds {

/// Each way has its turn for a few rounds; the one with the shortest rounds stays. The first rounds of a turn
/// do not count. A way must save more than 2 % to be preferred to a simpler one: "after" is simpler than
/// "hooks", and that than "thread".
class DriveTrial {
 public:
  /// The way to drive the next round.
  [[nodiscard]] Drive current() const { return current_; }
  [[nodiscard]] bool over() const { return turn_ == kWays.size(); }
  /// A round has taken so long, from the end of the one before to its own.
  void took(double seconds);
  /// "after backward, measured best: 3.10 ms a step (hooks 3.22 ms, thread 3.40 ms)"; when it is over.
  [[nodiscard]] std::string in_words() const;

 private:
  static constexpr std::array<Drive, 3> kWays = {Drive::kAfter, Drive::kHooks, Drive::kThread};

  void end_turn();

  Drive current_ = Drive::kAfter;
  std::size_t turn_ = 0;
  std::vector<double> rounds_;  // in this turn
  std::array<double, 3> medians_{};
};

}  // namespace trireme::rounds
