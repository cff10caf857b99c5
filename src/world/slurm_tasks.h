// How Slurm writes the number of tasks on each host.
#pragma once

#include <string_view>

#include "base/types.h"

namespace trireme::world {

/// "2(x3),1" gives 2 for the hosts 0, 1 and 2, and 1 for host 3. Throws `Error` (bad input) that names
/// `variable` when it is malformed or ends before that host.
[[nodiscard]] Rank slurm_tasks_on(std::string_view text, std::int64_t host, const char* variable);

}  // namespace trireme::world
