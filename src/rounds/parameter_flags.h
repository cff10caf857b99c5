// For which of a module's parameters something holds, and how all nodes come to know it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// By parameter: 1 if it holds, else 0.
using ParameterFlags = std::vector<std::uint8_t>;

/// *Together.* Which parameters require a gradient: those who compute gradients say it, those who follow hear
/// it. Throws `Error`, on all nodes, with the parameter's name and the ranks where they differ.
[[nodiscard]] ParameterFlags agree_on_trained(wire::Wire& wire, const std::optional<ParameterFlags>& own,
                                              std::span<const std::string> names, const Deadline& deadline);

/// *Together.* For which parameters it holds on any node.
[[nodiscard]] ParameterFlags on_any_node(wire::Wire& wire, const ParameterFlags& own,
                                         const Deadline& deadline);

/// Throws `Error` that names the trained parameters which nobody has seen.
void require_gradients(const ParameterFlags& trained, const ParameterFlags& seen_by_any,
                       std::span<const std::string> names);

/// *Together.* Throws `Error`, on all nodes, that names the trained parameters which no node has seen.
void require_gradients(wire::Wire& wire, const ParameterFlags& trained, const ParameterFlags& seen,
                       std::span<const std::string> names, const Deadline& deadline);

}  // namespace trireme::rounds
