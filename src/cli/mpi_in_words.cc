#include "cli/mpi_in_words.h"

namespace trireme {

// Until the wire `mpi` is there: then `mpi_version()` of wire/mpi.h.
std::optional<std::string> mpi_in_words() { return std::nullopt; }

}  // namespace trireme
