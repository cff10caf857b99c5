// The ring of simgrid_ring.cc in Trireme's event loop: trireme_ring WORKERS BYTES. Every node is simulated,
// although they are identical. Prints the simulated seconds, the seconds that the simulation took, its
// messages, and the most messages under way at once.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "plan/plan.h"
#include "sim/events/sync_run.h"
#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme {
namespace {

// Two links of 25 µs: from a host to the switch and from there to the next host.
sim::Scenario cluster(std::int32_t workers, std::int64_t bytes) {
  sim::Scenario scenario;
  scenario.job.workers = workers;
  scenario.model.parameters = bytes;
  scenario.model.bytes_per_parameter = 1;
  scenario.network.latency = 2 * 25 * sim::kMicrosecond;
  scenario.network.bandwidth = 1.25e9;
  return scenario;
}

int run(std::int32_t workers, std::int64_t bytes) {
  const sim::Scenario scenario = cluster(workers, bytes);
  plan::PlanSpec spec;
  spec.strategy = plan::Strategy::kRing;
  spec.workers = workers;
  spec.parameters = bytes;
  const auto start = std::chrono::steady_clock::now();
  const sim::SyncResult result = sim::simulate_sync_of_all(scenario, spec, 1);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%.9f %.6f %lld %lld\n", sim::in_seconds(result.total()), took.count(),
              static_cast<long long>(result.messages), static_cast<long long>(result.most_in_flight));
  return 0;
}

}  // namespace
}  // namespace trireme

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("trireme_ring: give the number of workers and of bytes\n", stderr);
    return 2;
  }
  return trireme::run(std::atoi(argv[1]), std::atoll(argv[2]));
}
