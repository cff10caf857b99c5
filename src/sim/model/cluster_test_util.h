// A synchronous job behind a switch, for tests that set only the values that they check.
#pragma once

#include <cstdint>

#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// A time that is not set is zero.
struct SwitchedCluster {
  std::int32_t workers = 1;
  std::int64_t parameters = 0;
  std::int64_t rounds = 1;
  Picoseconds latency = 0;
  Picoseconds overhead = 0;
  double bandwidth = 1.25e9;  ///< ten gigabits a second
  Picoseconds per_batch = 0;
  double reduce = 0;
};

inline Scenario behind_a_switch(const SwitchedCluster& cluster) {
  Scenario scenario;
  scenario.job.workers = cluster.workers;
  scenario.job.rounds = cluster.rounds;
  scenario.model.parameters = cluster.parameters;
  scenario.network.latency = cluster.latency;
  scenario.network.overhead = cluster.overhead;
  scenario.network.bandwidth = cluster.bandwidth;
  scenario.compute.per_batch = cluster.per_batch;
  scenario.compute.reduce = cluster.reduce;
  return scenario;
}

}  // namespace trireme::sim
