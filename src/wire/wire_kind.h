// The kinds of wires, by the names that users give them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trireme::wire {

enum class WireKind : std::uint8_t {
  kAuto,  ///< the one that connects the nodes best
  kThreads,
  kShm,
  kTcp,
  kMpi,
  kMixed,  ///< shared memory inside each host, TCP between hosts: chosen by auto, not by the user
};

/// "auto", "threads", …: as on the command line and in output.
[[nodiscard]] std::string_view name(WireKind wire);

/// All wires that users can choose: all but mixed.
[[nodiscard]] std::span<const WireKind> all_wires();

/// The wire with this name. Throws `Error` (bad input) that begins with `where` and suggests the nearest
/// name.
[[nodiscard]] WireKind parse_wire(std::string_view text, std::string_view where,
                                  std::span<const WireKind> known = all_wires());

}  // namespace trireme::wire
