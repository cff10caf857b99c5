// The keys of a job on a cluster to be predicted.
#pragma once

#include "config/key_table.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

[[nodiscard]] const config::KeyTable<Scenario>& scenario_keys();

/// Whether gradients go through a server.
[[nodiscard]] bool has_servers(const Scenario& scenario);
/// Whether it matters which workers share a host.
[[nodiscard]] bool has_hosts(const Scenario& scenario);
/// Whether computation times have their own deviation.
[[nodiscard]] bool has_deviation(const Scenario& scenario);

}  // namespace trireme::sim
