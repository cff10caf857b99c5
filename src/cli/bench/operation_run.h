// Starts the nodes of a measurement on the measured wire.
#pragma once

#include <array>
#include <optional>

#include "cli/bench/operation_timing.h"
#include "wire/wire_kind.h"

namespace trireme::cli {

/// The wires that `run_operation` supports.
inline constexpr std::array kTimedWires = {wire::WireKind::kShm, wire::WireKind::kThreads,
                                           wire::WireKind::kTcp, wire::WireKind::kMpi};

/// Runs the nodes to their end and leaves their measurements in `times`. Returns the signal that interrupted
/// them, if any; threads are not interrupted. Throws `Error`: the first failure.
[[nodiscard]] std::optional<int> run_operation(const OperationCase& setting, const OperationTimes& times);

}  // namespace trireme::cli
