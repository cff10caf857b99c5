// Who takes part, as a process learns it from its environment (`launch/environment.h`).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/types.h"

namespace trireme {

/// What one process knows of its job. A process that nobody launched is a job of one.
struct FoundWorld {
  Rank rank = 0;
  Rank size = 1;
  std::optional<int> segment_fd;  ///< memory shared with all others; inherited, and not owned by this
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  ///< for one exchange
};

/// The value of an environment variable, or nothing where it is not set.
using GetVariable = std::function<std::optional<std::string>(const char* name)>;

[[nodiscard]] std::optional<std::string> get_variable(const char* name);

/// Reads the variables. Throws `Error` (bad input) that names the variable and its value when one is
/// malformed, or when they do not go together: a rank that is not below the size, or one of the two without
/// the other.
[[nodiscard]] FoundWorld find_world(const GetVariable& get = get_variable);

}  // namespace trireme
