// Built in the place of mpi.cc where no MPI was found.
#include "wire/mpi.h"

namespace trireme {

std::optional<std::string> mpi_version() { return std::nullopt; }

std::unique_ptr<MpiSession> MpiSession::begin(const Deadline&) {
  throw bad_input(
      "this build of Trireme has no MPI",
      "install an MPI (Debian: libopenmpi-dev and openmpi-bin) and build again, or use another wire");
}

}  // namespace trireme
