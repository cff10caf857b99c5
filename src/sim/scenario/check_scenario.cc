#include "sim/scenario/check_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/strategies.h"
#include "sim/scenario/scenario_keys.h"

namespace trireme::sim {
namespace {

// The first key that was set among those with this prefix.
std::optional<std::string> first_set(const config::Sources& sources, std::string_view begin) {
  const auto source = sources.lower_bound(begin);
  if (source == sources.end() || !source->first.starts_with(begin)) return std::nullopt;
  return source->first;
}

[[noreturn]] void refuse_pair(std::string_view one, std::string_view other, std::string_view why,
                              std::string hint, const config::Sources& sources) {
  throw bad_input(
      fmt::format("{} and {} {}", config::subject(one, sources), config::subject(other, sources), why),
      std::move(hint));
}

// Measured phases replace a model, a network and a worker's speed.
void check_one_description(const config::Sources& sources) {
  constexpr std::array<std::string_view, 5> kOther = {"network.", "model.", "compute.per_", "compute.ready",
                                                      "compute.reduce"};
  const std::optional<std::string> phase = first_set(sources, "time.");
  if (!phase) return;
  for (const std::string_view begin : kOther) {
    const std::optional<std::string> other = first_set(sources, begin);
    if (!other) continue;
    refuse_pair(*phase, *other, "both describe how long things take",
                "keep [time] alone, or [model], [network] and [compute] without it", sources);
  }
}

void check_names_of_compute(const Scenario::Compute& compute, const config::Sources& sources) {
  if (sources.contains("compute.per_batch") && sources.contains("compute.per_update")) {
    refuse_pair("compute.per_batch", "compute.per_update", "are two names of one key",
                "leave one of them out", sources);
  }
  if (compute.ready == 0 || compute.per_batch == 0) return;
  const std::string_view per_batch =
      sources.contains("compute.per_update") ? "compute.per_update" : "compute.per_batch";
  refuse_pair("compute.ready", per_batch, "both say when gradients are there", "leave one of them out",
              sources);
}

bool takes_time(const Scenario::Phases& phases) { return phases != Scenario::Phases{}; }

bool has_network(const Scenario& scenario) {
  const Scenario::Network& network = scenario.network;
  const bool has_memory = network.topology == Topology::kHosts && scenario.host.memory_bandwidth != 0;
  return network.latency != 0 || network.bandwidth != 0 || network.overhead != 0 || has_memory;
}

void check_takes_time(const Scenario& scenario, const config::Sources& sources) {
  if (scenario.time) {
    if (takes_time(*scenario.time)) return;
    throw bad_input(fmt::format("{}: all phases take 0 s",
                                config::subject(first_set(sources, "time.").value_or("time"), sources)),
                    "give one of [time] receive, compute and send, like compute = \"4 s\"");
  }
  if (has_network(scenario) || scenario.compute.per_batch != 0 || scenario.compute.ready != 0) return;
  throw bad_input("nothing says how long the job takes",
                  "add [time] with what was measured; or [compute] per_batch, and [network] bandwidth with "
                  "[model] parameters");
}

void check_messages_have_size(const Scenario& scenario, const config::Sources& sources) {
  if (!has_network(scenario) || scenario.model.parameters != 0) return;
  const std::string network = first_set(sources, "network.").value_or("host.memory_bandwidth");
  throw bad_input(
      fmt::format("{} has no messages to carry, as model.parameters is 0", config::subject(network, sources)),
      "say how many are exchanged, like model.parameters = 25_000_000");
}

std::string_view with_article(Mode::Kind kind) {
  switch (kind) {
    case Mode::Kind::kSync:
      return "a sync job";
    case Mode::Kind::kAsync:
      return "an async job";
    case Mode::Kind::kSsp:
      return "an ssp job";
    case Mode::Kind::kBackup:
      return "a backup job";
  }
  return "a job";
}

// The keys that say when the job ends. A federated job goes through its samples in every round.
std::vector<std::string_view> ends_of(const Scenario::Job& job) {
  std::vector<std::string_view> ends;
  if (job.rounds != 0) ends.push_back("job.rounds");
  if (job.samples != 0 && !job.federated) ends.push_back("job.samples");
  if (job.until != 0) ends.push_back("job.until");
  if (job.until_updates != 0) ends.push_back("job.until_updates");
  return ends;
}

void check_end(const Scenario::Job& job, const config::Sources& sources) {
  const std::vector<std::string_view> ends = ends_of(job);
  if (ends.size() > 1) {
    refuse_pair(ends[0], ends[1], "both say when the job ends",
                "leave one of them out; --set of one to 0 takes back what a file says", sources);
  }
  const bool has_rounds = job.mode.kind == Mode::Kind::kSync;
  if (ends.empty() && !job.federated) {
    throw bad_input(fmt::format("{}: {} needs an end: {}", config::subject("job.mode", sources),
                                with_article(job.mode.kind),
                                has_rounds ? "job.rounds or job.samples"
                                           : "job.rounds, job.samples, job.until or job.until_updates"),
                    "add one of them, like job.rounds = 100");
  }
  if (has_rounds && (job.until != 0 || job.until_updates != 0)) {
    throw bad_input(fmt::format("{} is for workers that do not wait for all others, and {} is sync",
                                config::subject(job.until != 0 ? "job.until" : "job.until_updates", sources),
                                config::subject("job.mode", sources)),
                    "give job.rounds: a round is one update");
  }
}

void check_samples(const Scenario::Job& job, const config::Sources& sources) {
  if (job.federated && (job.samples == 0 || job.batch == 0)) {
    throw bad_input(fmt::format("{}: a federated job needs job.samples and job.batch",
                                config::subject("job.strategy", sources)),
                    "say how many samples there are, and how many a worker takes at once");
  }
  if (job.samples == 0) return;
  if (job.batch == 0) {
    throw bad_input(config::subject("job.samples", sources) + " needs job.batch",
                    "say how many samples a worker takes at once, like job.batch = 32");
  }
  // Batches go to any worker that has none; only a device of a federated job keeps its own samples.
  const std::int64_t there = job.federated ? job.samples / job.workers : job.samples;
  if (job.batch <= there) return;
  throw bad_input(
      fmt::format("{} is {}, and {} {}", config::subject("job.batch", sources), with_commas(job.batch),
                  job.federated ? "a worker has" : "there are", counted(there, "sample")),
      job.federated ? "take smaller batches or fewer workers" : "take smaller batches");
}

void check_mode(const Scenario& scenario, const config::Sources& sources) {
  const Scenario::Job& job = scenario.job;
  if (job.mode.kind == Mode::Kind::kSync) return;
  const std::string is = fmt::format("{} is {}", config::subject("job.mode", sources), to_string(job.mode));
  if (job.federated || job.strategy != plan::Strategy::kParameterServer) {
    throw bad_input(fmt::format("{}, and {} is {}", is, config::subject("job.strategy", sources),
                                job.federated ? "federated" : plan::name(job.strategy)),
                    "choose parameter-server, with which workers need not wait for all others, or sync");
  }
  if (job.mode.kind == Mode::Kind::kBackup && job.mode.number >= job.workers) {
    throw bad_input(fmt::format("{}, and {} is {}", is, config::subject("job.workers", sources), job.workers),
                    "leave out fewer than there are");
  }
  if (scenario.time) {
    throw bad_input(fmt::format("{} is of rounds, and {}",
                                config::subject(first_set(sources, "time.").value_or("time"), sources), is),
                    "describe [compute] per_update, and [model] and [network], instead of [time]");
  }
  if (job.buckets != 1 || job.overlap) {
    throw bad_input(
        fmt::format("{} is for rounds, and {}",
                    config::subject(job.buckets != 1 ? "job.buckets" : "job.overlap", sources), is),
        "leave it out, or choose sync");
  }
  if (scenario.compute.ready != 0) {
    throw bad_input(fmt::format("{} is for rounds, and {}", config::subject("compute.ready", sources), is),
                    "give compute.per_update, or choose sync");
  }
}

template <typename Value>
void check_length(std::string_view key, const std::vector<Value>& by_worker, std::int32_t workers,
                  const config::Sources& sources) {
  if (std::ssize(by_worker) <= workers) return;
  throw bad_input(fmt::format("{} has {}, and {} is {}", config::subject(key, sources),
                              counted(std::ssize(by_worker), "element"),
                              config::subject("job.workers", sources), with_commas(workers)),
                  "give at most one for each worker");
}

void check_hosts(const Scenario& scenario, const config::Sources& sources) {
  if (!has_hosts(scenario) || scenario.job.workers % scenario.host.workers == 0) return;
  throw bad_input(fmt::format("{} is {}, and {} is {}", config::subject("host.workers", sources),
                              with_commas(scenario.host.workers), config::subject("job.workers", sources),
                              with_commas(scenario.job.workers)),
                  "give every host the same number of workers");
}

void check_servers(const Scenario& scenario, const config::Sources& sources) {
  const Scenario::Server& server = scenario.server;
  if (!has_servers(scenario) || !server.on_workers || server.count <= scenario.job.workers) return;
  throw bad_input(fmt::format("{} is {}, and {} is {}", config::subject("server.count", sources),
                              with_commas(server.count), config::subject("job.workers", sources),
                              with_commas(scenario.job.workers)),
                  "take fewer servers, or hosts of their own: server.on_workers = false");
}

void check_buckets(const Scenario& scenario, const config::Sources& sources) {
  const std::int64_t most = std::max<std::int64_t>(scenario.model.parameters, 1);
  if (scenario.time || scenario.job.buckets <= most) return;
  throw bad_input(fmt::format("{} is {}, and {} is {}", config::subject("job.buckets", sources),
                              with_commas(scenario.job.buckets), config::subject("model.parameters", sources),
                              with_commas(scenario.model.parameters)),
                  "take fewer buckets");
}

void check_spread(const Scenario& scenario, const config::Sources& sources) {
  if (!has_deviation(scenario) || scenario.compute.deviation != 0) return;
  throw bad_input(config::subject("compute.spread", sources) + " needs compute.deviation",
                  "give it as a part of the mean, like compute.deviation = 0.1");
}

}  // namespace

void check(const Scenario& scenario, const config::Sources& sources) {
  const std::int32_t workers = scenario.job.workers;
  check_one_description(sources);
  check_names_of_compute(scenario.compute, sources);
  check_takes_time(scenario, sources);
  check_messages_have_size(scenario, sources);
  check_mode(scenario, sources);
  check_samples(scenario.job, sources);
  check_end(scenario.job, sources);
  check_length("compute.factors", scenario.compute.factors, workers, sources);
  check_length("compute.starts", scenario.compute.starts, workers, sources);
  check_hosts(scenario, sources);
  check_servers(scenario, sources);
  check_spread(scenario, sources);
  check_buckets(scenario, sources);
}

}  // namespace trireme::sim
