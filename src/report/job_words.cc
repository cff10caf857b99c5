#include "report/job_words.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "report/forecast_report.h"

namespace trireme::report {
namespace {

// The value of a key, in words.
using Parts = std::vector<std::pair<std::string_view, std::string>>;

std::string bandwidth_words(double bytes_per_s) {
  const double bits = 8 * bytes_per_s;
  return bits < 1e9 ? fmt::format("{:.4g} Mbit/s", bits / 1e6) : fmt::format("{:.4g} Gbit/s", bits / 1e9);
}

void add_work(const sim::Scenario::Job& job, Parts& parts) {
  parts.emplace_back("job.workers", counted(job.workers, "worker"));
  if (job.rounds > 0) parts.emplace_back("job.rounds", counted(job.rounds, "round"));
  if (job.samples > 0) parts.emplace_back("job.samples", counted(job.samples, "sample"));
  if (job.batch > 0) parts.emplace_back("job.batch", "batch " + with_commas(job.batch));
  if (job.federated) {
    parts.emplace_back("job.local_epochs", counted(job.local_epochs, "local epoch"));
    return;
  }
  if (job.samples > 0) parts.emplace_back("job.epochs", counted(job.epochs, "epoch"));
  if (job.local_steps > 1) parts.emplace_back("job.local_steps", counted(job.local_steps, "local step"));
}

void add_phases(const sim::MeasuredPhases& time, Parts& parts) {
  const auto add = [&](std::string_view key, std::string_view name, sim::Picoseconds phase) {
    if (phase > 0) parts.emplace_back(key, fmt::format("{} {}", name, time_words(phase)));
  };
  add("time.receive", "receive", time.receive);
  add("time.compute", "compute", time.compute);
  add("time.send", "send", time.send);
  add("time.aggregate_per_worker", "aggregate per worker", time.aggregate_per_worker);
}

void add_network(const sim::Scenario& scenario, Parts& parts) {
  const sim::Scenario::Network& network = scenario.network;
  if (network.bandwidth > 0) parts.emplace_back("network.bandwidth", bandwidth_words(network.bandwidth));
  if (network.latency > 0) parts.emplace_back("network.latency", "latency " + time_words(network.latency));
  if (network.overhead > 0)
    parts.emplace_back("network.overhead", "overhead " + time_words(network.overhead));
  if (network.topology == sim::Topology::kRing) parts.emplace_back("network.topology", "a ring of links");
  if (network.topology == sim::Topology::kHosts) {
    parts.emplace_back("host.workers", fmt::format("{} per host", with_commas(scenario.host.workers)));
    if (scenario.host.memory_bandwidth > 0) {
      parts.emplace_back("host.memory_bandwidth",
                         fmt::format("memory {:.4g} GB/s", scenario.host.memory_bandwidth / 1e9));
    }
  }
}

void add_model(const sim::Scenario& scenario, Parts& parts) {
  const sim::Scenario::Model& model = scenario.model;
  const sim::Scenario::Compute& compute = scenario.compute;
  if (model.parameters > 0) {
    parts.emplace_back("model.parameters", fmt::format("{} of {}", counted(model.parameters, "parameter"),
                                                       counted(model.bytes_per_parameter, "byte")));
    add_network(scenario, parts);
  }
  if (compute.per_batch > 0) {
    parts.emplace_back("compute.per_batch", time_words(compute.per_batch) + " per batch");
  }
  if (compute.ready > 0) parts.emplace_back("compute.ready", "ready after " + time_words(compute.ready));
  if (scenario.job.buckets > 1) parts.emplace_back("job.buckets", counted(scenario.job.buckets, "bucket"));
  if (scenario.job.overlap) parts.emplace_back("job.overlap", "exchanged during backward");
}

}  // namespace

std::vector<std::string> job_words(const sim::Scenario& scenario, std::string_view left_out) {
  Parts parts;
  add_work(scenario.job, parts);
  if (scenario.time) {
    add_phases(*scenario.time, parts);
  } else {
    add_model(scenario, parts);
  }
  std::vector<std::string> said;
  for (const auto& [key, words] : parts) {
    if (key != left_out) said.push_back(words);
  }
  return said;
}

}  // namespace trireme::report
