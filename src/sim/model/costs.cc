#include "sim/model/costs.h"

namespace trireme::sim {
namespace {

// 0 if no rate is given.
double picoseconds_per_byte(double bytes_per_second) {
  return bytes_per_second > 0 ? static_cast<double>(kSecond) / bytes_per_second : 0;
}

}  // namespace

Costs::Costs(const Scenario& scenario)
    : latency_(scenario.network.latency),
      overhead_(scenario.network.overhead),
      per_byte_(picoseconds_per_byte(scenario.network.bandwidth)),
      memory_per_byte_(picoseconds_per_byte(scenario.host.memory_bandwidth)),
      adding_per_byte_(picoseconds_per_byte(scenario.compute.reduce)),
      element_bytes_(scenario.model.bytes_per_parameter) {
  if (latency_ > kLongestMessage || overhead_ > kLongestMessage) {
    refuse_as_too_long("a message", kLongestMessage);
  }
}

}  // namespace trireme::sim
