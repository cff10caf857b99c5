// Flags for the parameters of a module, and how all nodes come to know them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// One flag for each parameter: 1 if something holds for it, else 0.
using ParameterFlags = std::vector<std::uint8_t>;

/// *Together.* Returns which parameters require a gradient: nodes that compute gradients say it, nodes that
/// follow give nothing and hear it. Throws `Error`, on all nodes, with the parameter's name and the ranks
/// where they differ.
[[nodiscard]] ParameterFlags agree_on_trained(wire::Wire& wire, const std::optional<ParameterFlags>& own,
                                              std::span<const std::string> names, const Deadline& deadline);

/// *Together.* Returns a flag for each parameter that has it on any node.
[[nodiscard]] ParameterFlags on_any_node(wire::Wire& wire, const ParameterFlags& own,
                                         const Deadline& deadline);

/// Throws `Error` that names the trained parameters which nobody has seen.
void require_gradients(const ParameterFlags& trained, const ParameterFlags& seen_by_any,
                       std::span<const std::string> names);

/// *Together.* Throws `Error`, on all nodes, that names the trained parameters which no node has seen.
void require_gradients(wire::Wire& wire, const ParameterFlags& trained, const ParameterFlags& seen,
                       std::span<const std::string> names, const Deadline& deadline);

}  // namespace trireme::rounds
