// Settings that a launcher has already decided when a command runs as one of its nodes.
#pragma once

#include <string>
#include <string_view>

#include "wire/wire_kind.h"
#include "world/world.h"

namespace trireme::cli {

/// Throws `Error` (bad input) if this wire cannot connect the nodes of the world. `given` is the user's
/// setting ("--wire tcp"), `command` the command to start instead ("trireme bench allreduce").
void refuse_another_wire(wire::WireKind wire, const world::FoundWorld& world, std::string_view given,
                         std::string_view command);

}  // namespace trireme::cli
