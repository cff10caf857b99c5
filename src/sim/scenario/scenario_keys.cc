#include "sim/scenario/scenario_keys.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "config/key_types.h"
#include "plan/strategies/strategies.h"
#include "sim/scenario/quantity_types.h"

namespace trireme::sim {
namespace {

using Job = Scenario::Job;
using Phases = Scenario::Phases;
using Model = Scenario::Model;
using Network = Scenario::Network;
using Host = Scenario::Host;
using Compute = Scenario::Compute;
using Server = Scenario::Server;
using Keys = std::vector<config::Key<Scenario>>;

constexpr std::int64_t kMostSamples = 1'000'000'000'000'000;
constexpr std::int64_t kMostRounds = 1'000'000'000'000;
constexpr std::int64_t kMostParameters = 1'000'000'000'000'000;
constexpr std::int64_t kMostBuckets = 1000;
constexpr std::size_t kMostWorkers = plan::PlanSpec::kMaxNodes;

constexpr std::string_view kFederated = "federated";

constexpr config::WholeNumber kNodes{1, plan::PlanSpec::kMaxNodes};
constexpr config::WholeNumber kRounds{0, kMostRounds};
constexpr config::OrWord<ByteRate> kRateOrUnlimited{"unlimited"};

// The uses of keys, as shown by `Key::of`.
constexpr std::string_view kPhased = "jobs with measured phases";
constexpr std::string_view kUnphased = "jobs without [time]";
constexpr std::string_view kServed = "parameter-server and federated";
constexpr std::string_view kUnfederated = "strategies other than federated";
constexpr std::string_view kOnHosts = "topology hosts";

bool is_federated(const Scenario& scenario) { return scenario.job.federated; }
bool is_unfederated(const Scenario& scenario) { return !scenario.job.federated; }
bool has_samples(const Scenario& scenario) { return scenario.job.samples != 0 && is_unfederated(scenario); }
bool has_phases(const Scenario& scenario) { return scenario.time.has_value(); }
bool has_no_phases(const Scenario& scenario) { return !has_phases(scenario); }
bool overlaps(const Scenario& scenario) { return scenario.job.overlap && has_no_phases(scenario); }
bool has_spread(const Scenario& scenario) { return scenario.compute.spread != Spread::kNone; }
bool is_on_hosts(const Scenario& scenario) { return scenario.network.topology == Topology::kHosts; }

// The strategies of plan, and "federated", which needs a server.
std::vector<std::string_view> strategy_words() {
  std::vector<std::string_view> words;
  for (const plan::Strategy one : plan::all_strategies()) words.push_back(plan::name(one));
  words.push_back(kFederated);
  return words;
}

void read_strategy(Scenario& scenario, const config::Setting& setting) {
  const std::size_t at = config::read_word(setting, strategy_words());
  scenario.job.federated = at == plan::all_strategies().size();
  scenario.job.strategy =
      scenario.job.federated ? plan::Strategy::kParameterServer : plan::all_strategies()[at];
}

std::string print_strategy(const Scenario& scenario) {
  return config::toml_string(scenario.job.federated ? kFederated : plan::name(scenario.job.strategy));
}

/// See `plan::parse_mode`.
struct ModeType {
  [[nodiscard]] Mode read(const config::Setting& setting) const {
    const std::string hint = fmt::format("give {}", plan::kModesInWords);
    return plan::parse_mode(config::text_of(setting, "a string", hint), config::subject(setting));
  }
  [[nodiscard]] std::string print(const Mode& mode) const { return config::toml_string(to_string(mode)); }
};

Keys work_keys() {
  const config::WholeNumber samples{0, kMostSamples};
  const config::WholeNumber rounds{1, kMostRounds};
  return {
      config::key("job.samples", "of the data set; 0: the end is given otherwise", samples, &Scenario::job,
                  &Job::samples),
      config::key("job.batch", "samples per worker and step", samples, &Scenario::job, &Job::batch),
      config::key("job.epochs", "how often all samples are seen", rounds, &Scenario::job, &Job::epochs)
          .only_of("jobs with samples that are not federated", has_samples),
      config::key("job.rounds", "the end after so many, instead of samples and epochs; 0: not said", kRounds,
                  &Scenario::job, &Job::rounds),
      config::key("job.local_epochs", "passes over its own samples that a worker makes before an exchange",
                  rounds, &Scenario::job, &Job::local_epochs)
          .only_of(kFederated, is_federated),
      config::key("job.local_steps", "batches that a worker computes between two exchanges", rounds,
                  &Scenario::job, &Job::local_steps)
          .only_of(kUnfederated, is_unfederated),
  };
}

Keys job_keys() {
  return {
      config::key("job.workers", "number of workers", kNodes, &Scenario::job, &Job::workers),
      {"job.strategy", "a strategy of trireme explain, or federated", read_strategy, print_strategy},
      config::key("job.mode",
                  "sync, async, ssp:K (at most K updates ahead of the slowest) or backup:B (the B slowest "
                  "are left out)",
                  ModeType{}, &Scenario::job, &Job::mode),
      config::key("job.until_updates", "the end after so many updates of the weights; 0: not said", kRounds,
                  &Scenario::job, &Job::until_updates),
      config::key("job.until", "the end at this moment; 0 s: not said", TimeSpan{}, &Scenario::job,
                  &Job::until),
      config::key("job.buckets", "equal parts of the gradient, exchanged one after the other",
                  config::WholeNumber{1, kMostBuckets}, &Scenario::job, &Job::buckets)
          .only_of(kUnphased, has_no_phases),
      config::key("job.overlap", "a bucket is exchanged while backward computes the next ones",
                  config::Truth{}, &Scenario::job, &Job::overlap)
          .only_of(kUnphased, has_no_phases),
      config::key("job.seed", "of the times that are drawn", config::WholeNumber{}, &Scenario::job,
                  &Job::seed)
          .only_of("a spread", has_spread),
  };
}

// Setting any of them makes the job one with measured phases.
config::Key<Scenario> phase(std::string_view name, std::string_view meaning, Picoseconds Phases::*member) {
  return config::Key<Scenario>{
      name, meaning,
      [=](Scenario& scenario, const config::Setting& setting) {
        if (!scenario.time) scenario.time.emplace();
        *scenario.time.*member = TimeSpan{}.read(setting);
      },
      [=](const Scenario& scenario) { return TimeSpan{}.print(scenario.time.value_or(Phases{}).*member); }}
      .only_of(kPhased, has_phases);
}

Keys time_keys() {
  return {
      phase("time.receive", "a worker gets the weights", &Phases::receive),
      phase("time.compute", "it computes one batch", &Phases::compute),
      phase("time.send", "it sends its gradients", &Phases::send),
      phase("time.aggregate_per_worker", "the gradients of one worker are added up",
            &Phases::aggregate_per_worker),
  };
}

Keys model_keys() {
  return {
      config::key("model.parameters", "how many are exchanged", config::WholeNumber{0, kMostParameters},
                  &Scenario::model, &Model::parameters)
          .only_of(kUnphased, has_no_phases),
      config::key("model.bytes_per_parameter", "of each on the network", config::WholeNumber{1, 64},
                  &Scenario::model, &Model::bytes_per_parameter)
          .only_of(kUnphased, has_no_phases),
  };
}

Keys network_keys() {
  const config::OneOf<Topology> topology{{"switch", "ring", "hosts"},
                                         {Topology::kSwitch, Topology::kRing, Topology::kHosts}};
  return {
      config::key("network.latency", "time that a message takes in addition to its bytes", TimeSpan{},
                  &Scenario::network, &Network::latency)
          .only_of(kUnphased, has_no_phases),
      config::key("network.bandwidth", "of each card, each way", kRateOrUnlimited, &Scenario::network,
                  &Network::bandwidth)
          .only_of(kUnphased, has_no_phases),
      config::key("network.overhead", "of each message at each end", TimeSpan{}, &Scenario::network,
                  &Network::overhead)
          .only_of(kUnphased, has_no_phases),
      config::key("network.topology", "switch, ring, or hosts whose workers share a card", topology,
                  &Scenario::network, &Network::topology)
          .only_of(kUnphased, has_no_phases),
  };
}

Keys host_keys() {
  return {
      config::key("host.workers", "on each host", kNodes, &Scenario::host, &Host::workers)
          .only_of("topology hosts and hierarchical", has_hosts),
      config::key("host.memory_bandwidth", "shared by the messages inside a host", kRateOrUnlimited,
                  &Scenario::host, &Host::memory_bandwidth)
          .only_of(kOnHosts, is_on_hosts),
      config::key("host.cores", "shared by the workers of a host; 0: one for each",
                  config::WholeNumber{0, plan::PlanSpec::kMaxNodes}, &Scenario::host, &Host::cores)
          .only_of(kOnHosts, is_on_hosts),
  };
}

Keys compute_keys() {
  const config::OneOf<Spread> spread{
      {"none", "normal", "lognormal", "exponential"},
      {Spread::kNone, Spread::kNormal, Spread::kLognormal, Spread::kExponential}};
  const config::ListOf<config::Number> factors{kMostWorkers, "[1, 1.5]", {0, 1e6}};
  const config::ListOf<TimeSpan> starts{kMostWorkers, "[\"0.15 s\", \"0.2 s\"]"};
  return {
      config::key("compute.per_batch", "a worker computes one batch; also called per_update", TimeSpan{},
                  &Scenario::compute, &Compute::per_batch)
          .only_of(kUnphased, has_no_phases),
      config::key("compute.per_update", "per_batch, of a core that computes and writes", TimeSpan{},
                  &Scenario::compute, &Compute::per_batch)
          .instead_of("compute.per_batch"),
      config::key("compute.ready", "instead of per_batch in sync jobs: time until all gradients are ready",
                  TimeSpan{}, &Scenario::compute, &Compute::ready)
          .only_of(kUnphased, has_no_phases),
      config::key("compute.spread", "how times differ: none, normal, lognormal or exponential", spread,
                  &Scenario::compute, &Compute::spread),
      config::key("compute.deviation", "as a part of the mean", config::Number{0, 100}, &Scenario::compute,
                  &Compute::deviation)
          .only_of("normal and lognormal", has_deviation),
      config::key("compute.backward", "the part of a batch's time in which gradients become ready",
                  config::Number{0, 1}, &Scenario::compute, &Compute::backward)
          .only_of("overlap", overlaps),
      config::key("compute.reduce", "how fast a node adds up gradients", kRateOrUnlimited, &Scenario::compute,
                  &Compute::reduce)
          .only_of(kUnphased, has_no_phases),
      config::key("compute.factors", "by worker: so many times as long; others 1", factors,
                  &Scenario::compute, &Compute::factors),
      config::key("compute.starts", "by worker: when it begins; others 0 s", starts, &Scenario::compute,
                  &Compute::starts),
  };
}

Keys server_keys() {
  return {
      config::key("server.count", "how many share the parameters", kNodes, &Scenario::server, &Server::count)
          .only_of(kServed, has_servers),
      config::key("server.on_workers", "they live on the first workers", config::Truth{}, &Scenario::server,
                  &Server::on_workers)
          .only_of(kServed, has_servers),
      config::key("server.aggregate", "adding up, per round or else per update", TimeSpan{},
                  &Scenario::server, &Server::aggregate)
          .only_of(kServed, has_servers),
      config::key("server.update", "updating the weights, likewise", TimeSpan{}, &Scenario::server,
                  &Server::update)
          .only_of(kServed, has_servers),
  };
}

Keys all_keys() {
  Keys all;
  for (const Keys& section : {work_keys(), job_keys(), time_keys(), model_keys(), network_keys(), host_keys(),
                              compute_keys(), server_keys()}) {
    all.insert(all.end(), section.begin(), section.end());
  }
  return all;
}

}  // namespace

const config::KeyTable<Scenario>& scenario_keys() {
  static const config::KeyTable<Scenario> table(all_keys());
  return table;
}

bool has_servers(const Scenario& scenario) {
  return scenario.job.strategy == plan::Strategy::kParameterServer;
}

bool has_hosts(const Scenario& scenario) {
  return is_on_hosts(scenario) || scenario.job.strategy == plan::Strategy::kHierarchical;
}

bool has_deviation(const Scenario& scenario) {
  return scenario.compute.spread == Spread::kNormal || scenario.compute.spread == Spread::kLognormal;
}

}  // namespace trireme::sim
