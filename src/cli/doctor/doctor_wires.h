// Tests every wire with its own two workers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/doctor/doctor.h"

namespace trireme::cli {

/// Takes at most a few seconds for each wire, even if the wire does not work. `tell` gets the name of each
/// wire before its test.
[[nodiscard]] std::vector<WireTest> try_wires(const SoftwareFacts& software,
                                              const std::function<void(const std::string& wire)>& tell);

}  // namespace trireme::cli
