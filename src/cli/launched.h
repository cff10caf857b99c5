// What a launcher has decided before a command runs as one of its nodes.
#pragma once

#include <string>
#include <string_view>

#include "wire/wire_kind.h"
#include "world/world.h"

namespace trireme::cli {

/// Throws `Error` (bad input) when this wire cannot connect the nodes of the world. `given` is how the user
/// said it ("--wire tcp"), `command` what to start instead ("trireme bench allreduce").
void refuse_another_wire(wire::WireKind wire, const world::FoundWorld& world, std::string_view given,
                         std::string_view command);

}  // namespace trireme::cli
