// The worked examples that several tests use.
#pragma once

#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// Case 3 of the facts: a master and 6 workers, with measured phases.
inline Scenario master_and_workers() {
  Scenario scenario;
  scenario.job.samples = 76'800;
  scenario.job.batch = 1536;
  scenario.job.epochs = 10;
  scenario.job.workers = 6;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.time = MeasuredPhases{.receive = 1500 * kMillisecond,
                                 .compute = 4 * kSecond,
                                 .send = 1500 * kMillisecond,
                                 .aggregate_per_worker = 15 * kMillisecond};
  return scenario;
}

/// Case 4: 8 devices that exchange their models once.
inline Scenario federated_devices() {
  Scenario scenario;
  scenario.job.samples = 204'800;
  scenario.job.batch = 32;
  scenario.job.local_epochs = 10;
  scenario.job.workers = 8;
  scenario.job.federated = true;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.time = MeasuredPhases{.receive = 7 * kSecond, .compute = 4 * kSecond, .send = 7 * kSecond};
  return scenario;
}

/// The synchronous half of case 5.
inline Scenario synchronous_step() {
  Scenario scenario;
  scenario.job.workers = 4;
  scenario.job.rounds = 1;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.compute.ready = 500 * kMillisecond;
  scenario.server.aggregate = 300 * kMillisecond;
  scenario.server.update = 250 * kMillisecond;
  return scenario;
}

}  // namespace trireme::sim
