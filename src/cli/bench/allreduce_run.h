// Starts the nodes of a measurement on the measured wire.
#pragma once

#include <array>
#include <optional>

#include "cli/bench/allreduce_timing.h"
#include "wire/wire_kind.h"

namespace trireme::cli {

/// The wires that `run_allreduce` supports.
inline constexpr std::array kTimedWires = {wire::WireKind::kShm, wire::WireKind::kThreads,
                                           wire::WireKind::kTcp, wire::WireKind::kMpi};

/// Runs the nodes to their end and leaves their measurements in `times`. Returns the signal that interrupted
/// them, if any; threads are not interrupted. Throws `Error`: the first failure.
[[nodiscard]] std::optional<int> run_allreduce(const AllreduceCase& setting, const AllreduceTimes& times);

}  // namespace trireme::cli
