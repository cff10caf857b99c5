// Runs a whole exchange in one process: every node is a thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "exec/kernels/element_type.h"
#include "exec/runner.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "wire/wire.h"

namespace trireme::exec {

/// For tests: puts another wire around a node's own, or (null) leaves it as it is.
using WrapWire = std::function<std::unique_ptr<wire::Wire>(wire::Wire&)>;

struct NodeOutcome {
  plan::Trace trace;               ///< empty after a failure
  wire::Counters counters;         ///< of the exchange, as its wire counted
  std::optional<Failure> failure;  ///< what this node reports
};

struct Outcome {
  std::vector<NodeOutcome> nodes;        ///< by rank
  std::optional<Failure> first_failure;  ///< the one that was there first; the others follow from it
};

/// Runs the operation on the memory of each node (by rank, servers included) and waits for every node. Throws
/// `Error` only when the exchange cannot begin; the outcome tells the rest.
[[nodiscard]] Outcome try_on_threads(const plan::PlanSpec& spec, ElementType type,
                                     std::span<const Buffers> memory, Reduction reduction,
                                     const Deadline& deadline, const WrapWire& wrap = {});

/// The same for operations in place: buffers of spec.parameters elements each.
[[nodiscard]] Outcome try_on_threads(const plan::PlanSpec& spec, ElementType type,
                                     std::span<const std::span<std::byte>> buffers, Reduction reduction,
                                     const Deadline& deadline, const WrapWire& wrap = {});

/// Does the same, and returns the traces by rank or throws the first failure.
std::vector<plan::Trace> run_on_threads(const plan::PlanSpec& spec, ElementType type,
                                        std::span<const std::span<std::byte>> buffers, Reduction reduction,
                                        const Deadline& deadline);

}  // namespace trireme::exec
