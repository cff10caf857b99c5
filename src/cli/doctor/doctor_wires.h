// Tries every wire with two workers of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/doctor/doctor.h"

namespace trireme::cli {

/// At most a few seconds for each wire, also for one that does not work. Before each `tell` gets its name.
[[nodiscard]] std::vector<WireTest> try_wires(const SoftwareFacts& software,
                                              const std::function<void(const std::string& wire)>& tell);

}  // namespace trireme::cli
