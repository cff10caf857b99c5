// What `trireme explain` is asked for: its flags, read and checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/explain/narrative.h"
#include "plan/explain/node_names.h"
#include "plan/mode.h"
#include "plan/plan.h"

namespace trireme::cli {

/// The flags as typed; parsed only when all are known, so that messages can name the flag.
struct ExplainFlags {
  std::string operation, strategy, mode, root, workers, parameters, servers, hosts, order, values, weights,
      rate, node;
  bool all = false, run = false, json = false, quiet_ops = false;
};

struct ExplainRequest {
  plan::PlanSpec spec;  ///< in a mode other than sync that of one worker's update
  plan::Mode mode;
  std::int32_t workers = 1;  ///< that were asked for
  plan::NodeNames names{1, 0};
  std::optional<plan::Values> values;
  std::optional<plan::SgdUpdate> update;
  std::vector<std::string> columns;  ///< the names of the values
  std::optional<Rank> node;
};

/// Sum, if no operation is given.
[[nodiscard]] plan::Operation operation_of(const ExplainFlags& flags);

/// Reads the flags for one strategy of the operation. Throws `Error` that names the flag.
[[nodiscard]] ExplainRequest understand(const ExplainFlags& flags, plan::Strategy strategy);

}  // namespace trireme::cli
