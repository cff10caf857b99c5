// Starts the nodes of a measurement, on the wire that it is about.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "cli/allreduce_timing.h"

namespace trireme {

/// The wires that `run_allreduce` knows.
inline constexpr std::array<std::string_view, 4> kTimedWires = {"shm", "threads", "tcp", "mpi"};

/// Runs the nodes to their end; what they measured is in `times` then. Returns the signal that interrupted
/// them, if one did; threads it does not interrupt. Throws `Error`: the first failure.
[[nodiscard]] std::optional<int> run_allreduce(const AllreduceCase& setting, const AllreduceTimes& times);

}  // namespace trireme
