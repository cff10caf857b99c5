// The steps of one node in an exchange, as far as they matter for time. Only a few steps are in memory at a
// time, for plans of any length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"
#include "sim/model/costs.h"

namespace trireme::sim {

/// A message that leaves a node.
struct SimSend {
  std::int64_t bytes = 0;
  Rank to = 0;
  bool is_added = false;  ///< whether the receiver adds it when it arrives
};

/// A step in which the node has something to do.
struct SimStep {
  std::int32_t number = 0;  ///< the step's number in the plan
  std::int32_t receives = 0;
  Picoseconds folding = 0;    ///< how long the node adds when everything has arrived
  bool updates = false;       ///< the node then applies the update rule
  std::size_t sends_end = 0;  ///< in the sends of the window; they begin where those of the previous step end
};

class StepSource {
 public:
  StepSource(const plan::PlanSpec& spec, Rank node, const Costs& costs, std::int32_t steps)
      : spec_(&spec), costs_(&costs), node_(node), steps_(steps) {}

  /// Starts again from the first step, for the next exchange.
  void restart();
  /// The next step, or null when there is none; the sends of a step are valid until the next call.
  [[nodiscard]] const SimStep* next();
  [[nodiscard]] std::span<const SimSend> sends() const {
    return std::span(sends_).subspan(first_send_, current_sends_end_ - first_send_);
  }

 private:
  // Few enough steps to keep memory small, and enough to make the cost of the call negligible.
  static constexpr std::int32_t kWindow = 64;

  void fill();
  void add(const plan::Op& op, const plan::Program& program);

  const plan::PlanSpec* spec_;
  const Costs* costs_;
  Rank node_;
  std::int32_t steps_;     // of the plan
  std::int32_t made_ = 0;  // steps of the plan that have been made
  std::vector<SimStep> window_;
  std::vector<SimSend> sends_;  // of the window
  std::size_t at_ = 0;          // the next step in the window
  std::size_t first_send_ = 0;  // of the current step
  std::size_t current_sends_end_ = 0;
};

}  // namespace trireme::sim
