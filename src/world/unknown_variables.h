// Variables that look like ours and are none: a slip of whoever set them.
#pragma once

#include <string>
#include <vector>

namespace trireme::world {

/// A sentence for each variable TRIREME_… of the environment that nothing reads, with the nearest that there
/// is. `variables` ends with a null pointer, as `environ` does.
[[nodiscard]] std::vector<std::string> unknown_variables(const char* const* variables);

}  // namespace trireme::world
