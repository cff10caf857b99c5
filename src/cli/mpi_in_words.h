// The MPI that this program was built with.
#pragma once

#include <optional>
#include <string>

namespace trireme {

/// "Open MPI v4.1.4"; nothing where the build found none. Does not start MPI.
[[nodiscard]] std::optional<std::string> mpi_in_words();

}  // namespace trireme
