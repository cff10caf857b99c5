#include "cli/doctor_wires.h"

#include <chrono>
#include <cstdlib>
#include <exception>

#include "cli/allreduce_run.h"
#include "cli/allreduce_timing.h"

namespace trireme {
namespace {

constexpr std::int64_t kSmall = 4;
constexpr std::int64_t kLarge = std::int64_t{1} << 20;

// Seconds: the median over many exchanges.
double time_exchange(const std::string& wire, std::int64_t bytes) {
  AllreduceCase setting;
  setting.wire = wire;
  setting.bytes = bytes;
  setting.workers = 2;
  setting.private_memory = wire != "shm";
  setting.timeout = std::chrono::seconds(2);
  setting.quiet = true;
  const AllreduceTimes times;
  if (const std::optional<int> signal = run_allreduce(setting, times)) std::exit(128 + *signal);
  return quantile(times.slowest(), 0.5);
}

WireTest try_wire(const std::string& wire) {
  WireTest test{.wire = wire};
  try {
    test.latency = time_exchange(wire, kSmall);
    test.bandwidth = static_cast<double>(kLarge) / time_exchange(wire, kLarge);
  } catch (const std::exception& error) {  // whatever it is, the other wires are still to be tried
    test.failure = error.what();
  }
  return test;
}

}  // namespace

std::vector<WireTest> try_wires(const SoftwareFacts& software,
                                const std::function<void(const std::string& wire)>& tell) {
  std::vector<WireTest> tests;
  for (const std::string_view name : kTimedWires) {
    const std::string wire(name);
    if (wire == "mpi" && !software.mpi) {
      tests.push_back({.wire = wire, .skipped = "this program was built without MPI"});
      continue;
    }
    tell(wire);
    tests.push_back(try_wire(wire));
  }
  return tests;
}

}  // namespace trireme
