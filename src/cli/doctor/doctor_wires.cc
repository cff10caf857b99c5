#include "cli/doctor/doctor_wires.h"

#include <chrono>
#include <cstdlib>
#include <exception>

#include "base/exit_status.h"
#include "cli/bench/operation_run.h"
#include "cli/bench/operation_timing.h"

namespace trireme::cli {
namespace {

constexpr std::int64_t kSmall = 4;
constexpr std::int64_t kLarge = std::int64_t{1} << 20;

// The median of many exchanges, in seconds.
double time_exchange(wire::WireKind wire, std::int64_t bytes) {
  OperationCase setting;
  setting.wire = wire;
  setting.bytes = bytes;
  setting.workers = 2;
  setting.private_memory = wire != wire::WireKind::kShm;
  setting.timeout = std::chrono::seconds(2);
  setting.quiet = true;
  const OperationTimes times;
  if (run_operation(setting, times)) std::exit(kExitInterrupted);
  return quantile(times.slowest(), 0.5);
}

WireTest try_wire(wire::WireKind wire) {
  WireTest test{.wire = std::string(wire::name(wire))};
  try {
    test.latency = time_exchange(wire, kSmall);
    test.bandwidth = static_cast<double>(kLarge) / time_exchange(wire, kLarge);
  } catch (const std::exception& error) {  // for any failure, the other wires are still tested
    test.failure = error.what();
  }
  return test;
}

}  // namespace

std::vector<WireTest> try_wires(const SoftwareFacts& software,
                                const std::function<void(const std::string& wire)>& tell) {
  std::vector<WireTest> tests;
  for (const wire::WireKind wire : kTimedWires) {
    const std::string wire_name(wire::name(wire));
    if (wire == wire::WireKind::kMpi && !software.mpi) {
      tests.push_back({.wire = wire_name, .skipped = "this program was built without MPI"});
      continue;
    }
    tell(wire_name);
    tests.push_back(try_wire(wire));
  }
  return tests;
}

}  // namespace trireme::cli
