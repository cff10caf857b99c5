// The findings of `trireme doctor`: plain data, collected by `doctor_host.h`, `doctor_software.h` and
// `doctor_wires.h`, and read by `doctor_advice.h` and `doctor_report.h`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system/blas.h"
#include "world/world.h"

namespace trireme::cli {

struct Interface {
  std::string name;     ///< "eth0"
  std::string address;  ///< "192.0.2.2", "fd00::2"
  bool up = false;
  bool loopback = false;
};

/// The machine, or the part of it that this process may use.
struct HostFacts {
  int cores = 1;                                ///< on which this process may run
  std::optional<double> quota{};                ///< CPU time that its container may use, in cores
  std::int64_t memory_left = 0;                 ///< bytes
  std::string memfd_error{};                    ///< empty: memory can be shared
  std::optional<std::int64_t> dev_shm_bytes{};  ///< the size of /dev/shm, if there is one
  std::string shared_huge_pages{};  ///< "never", "advise", …; empty: not available on this system
  std::vector<Interface> interfaces{};
};

struct Torch {
  std::string version;  ///< "1.13.1"
  std::string path;     ///< of its headers, or of the library if there are no headers
  bool headers = true;
};

/// Software of others that is installed here.
struct SoftwareFacts {
  std::optional<std::string> mpi{};         ///< "Open MPI v4.1.4": the MPI that this program was built with
  std::optional<std::string> mpirun{};      ///< its path
  std::optional<std::string> mpirun_mpi{};  ///< its implementation: "Open MPI", "MPICH"; empty: unknown
  std::optional<Blas> blas{};
  std::optional<Torch> torch{};
};

/// The result of a test with two workers.
struct WireTest {
  std::string wire;
  double latency = 0;     ///< seconds for 4 bytes
  double bandwidth = 0;   ///< bytes per second with 1 MiB
  std::string skipped{};  ///< why it was not tried
  std::string failure{};  ///< why it does not work
};

struct Diagnosis {
  std::vector<world::Sighting> sightings{};
  std::optional<world::FoundWorld> world{};
  std::string world_failure{};  ///< why there is no world
  std::string join_failure{};   ///< why a program started here could not join the others of its world
  HostFacts host{};
  SoftwareFacts software{};
  std::vector<WireTest> wires{};

  /// Whether a job could run.
  [[nodiscard]] bool ok() const;
};

}  // namespace trireme::cli
