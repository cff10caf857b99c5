// Starts the nodes of a measurement, on the wire that it is about.
#pragma once

#include <array>
#include <optional>

#include "cli/bench/allreduce_timing.h"
#include "wire/wire_kind.h"

namespace trireme::cli {

/// The wires that `run_allreduce` knows.
inline constexpr std::array kTimedWires = {wire::WireKind::kShm, wire::WireKind::kThreads,
                                           wire::WireKind::kTcp, wire::WireKind::kMpi};

/// Runs the nodes to their end; what they measured is in `times` then. Returns the signal that interrupted
/// them, if one did; threads it does not interrupt. Throws `Error`: the first failure.
[[nodiscard]] std::optional<int> run_allreduce(const AllreduceCase& setting, const AllreduceTimes& times);

}  // namespace trireme::cli
