// The plans of all buckets of a training step, and the messages that they take, before anything is sent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "plan/plan.h"
#include "rounds/bucket_layout.h"
#include "wire/wire_kind.h"

namespace trireme::train {

/// The nodes that exchange gradients, and how they do it.
struct StepPlanSpec {
  std::string strategy = "auto";  ///< auto, or a strategy
  wire::WireKind wire = wire::WireKind::kShm;
  bool in_windows = false;  ///< the wire has windows, and the buckets lie there
  Rank workers = 1;
  Rank servers = 0;  ///< dedicated ones
  bool whole_tensors = false;
  bool clips = false;                 ///< by the norm of all gradients
  std::int64_t measured_tensors = 0;  ///< whose rule has a norm of the whole model
};

struct StepPlan {
  std::vector<plan::PlanSpec> buckets;
  std::vector<plan::PlanSpec> norms;  ///< what holders of shares tell all nodes for norms of the whole model
  std::int64_t messages = 0;          ///< of all nodes together, in one step
  std::int64_t bytes = 0;
  std::vector<std::string> choices;  ///< what `auto` has taken and why, each once

  /// "direct", or "direct and all-to-all" where buckets differ.
  [[nodiscard]] std::string strategy() const;
};

[[nodiscard]] StepPlan plan_step(const StepPlanSpec& spec, std::span<const rounds::BucketLayout> buckets);

}  // namespace trireme::train
