// What one node does in an exchange, step by step, as far as time is concerned. Only a few steps are there at
// a time, however long the plan is.
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
  bool is_added = false;  ///< by its receiver, when it has come
};

/// A step in which the node has something to do.
struct SimStep {
  std::int32_t number = 0;  ///< of the plan
  std::int32_t receives = 0;
  Picoseconds folding = 0;    ///< what the node adds up when all has come
  bool updates = false;       ///< the node applies the update rule then
  std::size_t sends_end = 0;  ///< in the sends of the window; they begin where those of the step before end
};

class StepSource {
 public:
  StepSource(const plan::PlanSpec& spec, Rank node, const Costs& costs, std::int32_t steps)
      : spec_(&spec), costs_(&costs), node_(node), steps_(steps) {}

  /// From the first step of the next exchange on.
  void restart();
  /// The next step, or nothing when there is none; the sends of a step are there until the next call.
  [[nodiscard]] const SimStep* next();
  [[nodiscard]] std::span<const SimSend> sends() const {
    return std::span(sends_).subspan(first_send_, current_sends_end_ - first_send_);
  }

 private:
  // In which so few ops lie that their number does not matter, and so many that the call does not.
  static constexpr std::int32_t kWindow = 64;

  void fill();
  void add(const plan::Op& op, const plan::Program& program);

  const plan::PlanSpec* spec_;
  const Costs* costs_;
  Rank node_;
  std::int32_t steps_;     // of the plan
  std::int32_t made_ = 0;  // steps of the plan that have been looked at
  std::vector<SimStep> window_;
  std::vector<SimSend> sends_;  // of the window
  std::size_t at_ = 0;          // the next step in the window
  std::size_t first_send_ = 0;  // of the current step
  std::size_t current_sends_end_ = 0;
};

}  // namespace trireme::sim
