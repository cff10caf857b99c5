// For any environment that a launcher may set, `find_world` answers or refuses with an `Error`.
//
// The first byte of each entry chooses a variable; the rest, up to a zero byte, is its value.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "world/environment.h"
#include "world/world.h"

namespace {

using namespace trireme::world::environment;

constexpr const char* kNames[] = {
    kRank,           kSize,           kTimeout,          kSegment,
    kMeet,           kListener,       kSecret,           kSecretFile,
    kWire,           kTorchRank,      kTorchSize,        kTorchLocalRank,
    kTorchLocalSize, kTorchAgents,    kTorchRunId,       kTorchRestarts,
    kMasterHost,     kMasterPort,     kPodProcesses,     kPods,
    kOpenMpiRank,    kOpenMpiSize,    kOpenMpiUri,       kOpenMpiLocalRank,
    kPmiRank,        kPmiSize,        kOpenMpiLocalSize, kPmiId,
    kPmiPort,        kPmiJob,         kPmiLocalRank,     kPmiLocalSize,
    kMvapichRank,    kMvapichSize,    kFluxRank,         kMvapichLocalRank,
    kFluxSize,       kFluxLocalRank,  kMvapichLocalSize, kFluxHosts,
    kFluxJob,        kPmixRank,       kPmixJob,          kSlurmRank,
    kSlurmSize,      kSlurmLocalRank, kSlurmHost,        kSlurmTasksPerHost,
    kSlurmHosts,     kSlurmJob,       kSlurmStep,
};

std::map<std::string, std::string> variables_of(std::string_view bytes) {
  std::map<std::string, std::string> variables;
  while (!bytes.empty()) {
    const auto choice = static_cast<unsigned char>(bytes.front()) % std::size(kNames);
    const std::string_view value = bytes.substr(1, bytes.find('\0', 1) - 1);
    variables[kNames[choice]] = value;
    bytes.remove_prefix(std::min(bytes.size(), value.size() + 2));
  }
  return variables;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto variables = variables_of({reinterpret_cast<const char*>(data), size});
  try {
    const trireme::world::FoundWorld world = trireme::world::find_world([&](const char* name) {
      const auto at = variables.find(name);
      return at == variables.end() ? std::nullopt : std::optional(at->second);
    });
    require(0 <= world.rank && world.rank < world.size);
    if (world.local_rank && world.local_size) require(*world.local_rank < *world.local_size);
    if (world.job_key) require(world.job_key->find('/') == std::string::npos);
  } catch (const trireme::Error&) {
  }
  return 0;
}
