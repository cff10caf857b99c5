// The wires that there are, by the names that people use for them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trireme::wire {

enum class WireKind : std::uint8_t {
  kAuto,  ///< whichever connects the nodes best
  kThreads,
  kShm,
  kTcp,
  kMpi,
  kMixed,  ///< shared memory inside each host, TCP between them: taken by auto, not asked for
};

/// "auto", "threads", …: as on the command line and in output.
[[nodiscard]] std::string_view name(WireKind wire);

/// All that can be asked for: all but mixed.
[[nodiscard]] std::span<const WireKind> all_wires();

/// One of the known wires by its name. Throws `Error` (bad input) that begins with `where` and suggests the
/// nearest.
[[nodiscard]] WireKind parse_wire(std::string_view text, std::string_view where,
                                  std::span<const WireKind> known = all_wires());

}  // namespace trireme::wire
