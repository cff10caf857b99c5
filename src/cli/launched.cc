#include "cli/launched.h"

#include <fmt/format.h>

#include "base/error.h"

namespace trireme::cli {

void refuse_another_wire(wire::WireKind wire, const world::FoundWorld& world, std::string_view given,
                         std::string_view command) {
  if (wire == wire::WireKind::kThreads) {
    throw bad_input(
        fmt::format("{}: threads are of one process, and {} has started {}", given, world.source, world.size),
        fmt::format("leave the launcher out: {} --workers {} --wire threads", command, world.size));
  }
  if (wire != wire::WireKind::kTcp || !world.segment_fd || world.meet) return;
  throw bad_input(fmt::format("{}: {} has connected the nodes by shared memory", given, world.source),
                  fmt::format("give it to launch, before the program: trireme launch -n {} --wire tcp -- {}",
                              world.size, command));
}

}  // namespace trireme::cli
