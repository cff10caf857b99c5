#include "wire/wire_kind.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trireme::wire {

std::string_view name(WireKind wire) {
  static constexpr std::array<std::string_view, 6> kNames = {"auto", "threads", "shm", "tcp", "mpi", "mixed"};
  return kNames[static_cast<std::size_t>(wire)];
}

std::span<const WireKind> all_wires() {
  static constexpr std::array kAll = {WireKind::kAuto, WireKind::kThreads, WireKind::kShm, WireKind::kTcp,
                                      WireKind::kMpi};
  return kAll;
}

WireKind parse_wire(std::string_view text, std::string_view where, std::span<const WireKind> known) {
  std::vector<std::string_view> names;
  for (const WireKind wire : known) {
    if (name(wire) == text) return wire;
    names.push_back(name(wire));
  }
  const std::string_view best = nearest(text, names);
  throw bad_input(fmt::format("{}: there is no wire '{}'", where, printable(text)),
                  best.empty() ? fmt::format("give one of {}", fmt::join(names, ", "))
                               : fmt::format("did you mean {}?", best));
}

}  // namespace trireme::wire
