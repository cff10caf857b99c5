#include "sim/scenario/load_scenario.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "plan/strategies/strategies.h"
#include "sim/planner/facts_test_util.h"

namespace trireme::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The minimum that a job needs.
const std::vector<std::string> kLeast = {"job.rounds=1", "compute.per_batch=1 s"};

LoadedScenario load_sets(std::vector<std::string> sets) {
  sets.insert(sets.begin(), kLeast.begin(), kLeast.end());
  return load_scenario({.sets = sets});
}

template <typename Try>
std::string refusal_of(const Try& attempt) {
  try {
    (void)attempt();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_FALSE(error.failure().hint.empty());
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::vector<std::string>& sets) {
  return refusal_of([&] { return load_sets(sets); });
}

std::string text_refusal(const std::string& text) {
  return refusal_of([&] { return read_scenario(text, "job.toml"); });
}

Scenario example(const std::string& name) {
  const LoadedScenario loaded = load_scenario({.file = "examples/planning/" + name + ".toml"});
  EXPECT_THAT(unused_keys(loaded), IsEmpty());
  EXPECT_EQ(read_scenario(to_toml(loaded.scenario), "again"), loaded.scenario);
  return loaded.scenario;
}

TEST(ScenarioExample, MasterAndWorkers) { EXPECT_EQ(example("master_and_workers"), master_and_workers()); }

TEST(ScenarioExample, Federated) {
  Scenario expected;
  expected.job.samples = 204'800;
  expected.job.batch = 32;
  expected.job.local_epochs = 10;
  expected.job.workers = 8;
  expected.job.federated = true;
  expected.job.strategy = plan::Strategy::kParameterServer;
  expected.time = {7 * kSecond, 4 * kSecond, 7 * kSecond};
  EXPECT_EQ(example("federated"), expected);
}

Scenario async_cores() {
  Scenario scenario;
  scenario.job.workers = 4;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.job.mode = {Mode::Kind::kAsync};
  scenario.compute.per_batch = 200 * kMillisecond;
  scenario.compute.starts = {150 * kMillisecond, 200 * kMillisecond, 250 * kMillisecond, 500 * kMillisecond};
  return scenario;
}

TEST(ScenarioExample, AsyncUpdates) {
  Scenario expected = async_cores();
  expected.job.until_updates = 3;
  EXPECT_EQ(example("async_updates"), expected);
}

TEST(ScenarioExample, AsyncTime) {
  Scenario expected = async_cores();
  expected.job.until = 600 * kMillisecond;
  EXPECT_EQ(example("async_time"), expected);
}

TEST(ScenarioExample, SyncStep) { EXPECT_EQ(example("sync_step"), synchronous_step()); }

TEST(ScenarioExample, Cluster) {
  const Scenario scenario = example("cluster_16x10GbE");
  EXPECT_EQ(scenario.job.workers, 16);
  EXPECT_EQ(scenario.model.parameters, 25'000'000);
  EXPECT_EQ(scenario.network.bandwidth, 1.25e9);
  EXPECT_EQ(scenario.network.latency, 25 * kMicrosecond);
  EXPECT_EQ(scenario.compute.per_batch, 200 * kMillisecond);
}

TEST(ScenarioExample, OneHost) {
  const Scenario scenario = example("one_host_8_cores");
  EXPECT_EQ(scenario.network.topology, Topology::kHosts);
  EXPECT_EQ(scenario.host, (Scenario::Host{8, 20e9, 8}));
}

TEST(ScenarioExample, IsTestedHere) {
  const std::filesystem::directory_iterator folder("examples/planning");
  EXPECT_EQ(std::distance(begin(folder), end(folder)), 7);
}

TEST(Scenario, RemembersWhatWasSet) {
  const LoadedScenario loaded =
      load_scenario({.file = "examples/planning/sync_step.toml", .sets = {"job.workers=8"}});
  EXPECT_EQ(loaded.scenario.job.workers, 8);
  EXPECT_EQ(loaded.sources, (config::Sources{{"job.strategy", "examples/planning/sync_step.toml:5"},
                                             {"job.workers", "--set"},
                                             {"job.rounds", "examples/planning/sync_step.toml:7"},
                                             {"compute.ready", "examples/planning/sync_step.toml:10"},
                                             {"server.aggregate", "examples/planning/sync_step.toml:13"},
                                             {"server.update", "examples/planning/sync_step.toml:14"}}));
}

TEST(Scenario, NamesFileLineAndKeyOfWhatIsWrong) {
  EXPECT_THAT(text_refusal("[job]\nworkers = 0"),
              HasSubstr("job.toml:2: job.workers: 0 is out of range; give a number from 1 to 1,000,000"));
  EXPECT_THAT(text_refusal("[network]\nlatency = 25"),
              HasSubstr("job.toml:2: network.latency must have a unit, such as \"25 us\""));
  EXPECT_THAT(text_refusal("[network]\nlatncy = 25"), HasSubstr("did you mean network.latency?"));
}

TEST(Scenario, KnowsAllStrategiesAndFederated) {
  for (const plan::Strategy strategy : plan::all_strategies()) {
    const Scenario::Job job = load_sets({fmt::format("job.strategy={}", plan::name(strategy))}).scenario.job;
    EXPECT_EQ(job.strategy, strategy);
    EXPECT_FALSE(job.federated);
  }
  EXPECT_EQ(refusal({"job.strategy=rnig"}), "--set job.strategy: there is no 'rnig'; did you mean ring?");
  EXPECT_EQ(refusal({"job.strategy=fedrated"}),
            "--set job.strategy: there is no 'fedrated'; did you mean federated?");
}

Mode mode(const std::string& text) {
  return load_sets({"job.strategy=parameter-server", "job.workers=9", "job.mode=" + text}).scenario.job.mode;
}

TEST(ScenarioMode, IsAWordOrAWordAndANumber) {
  EXPECT_EQ(mode("sync"), (Mode{Mode::Kind::kSync}));
  EXPECT_EQ(mode("async"), (Mode{Mode::Kind::kAsync}));
  EXPECT_EQ(mode("ssp:3"), (Mode{Mode::Kind::kSsp, 3}));
  EXPECT_EQ(mode("backup:1"), (Mode{Mode::Kind::kBackup, 1}));
  for (const char* text : {"", "asynch", "ssp", "backup", "sync:1", "async:"})
    EXPECT_THAT(refusal({std::string("job.mode=") + text}), HasSubstr("there is no mode '"));
  EXPECT_THAT(refusal({"job.mode=ssp:-1"}), HasSubstr("--set job.mode"));
  EXPECT_THAT(refusal({"job.mode=backup:x"}), HasSubstr("--set job.mode: 'x' is not a whole number"));
}

TEST(Scenario, CallsOneMemberPerBatchOrPerUpdate) {
  EXPECT_EQ(load_scenario({.sets = {"job.rounds=1", "compute.per_update=2 s"}}).scenario.compute.per_batch,
            2 * kSecond);
  EXPECT_EQ(
      text_refusal("[compute]\nper_batch = \"1 s\"\nper_update = \"1 s\"\n"),
      "job.toml:2: compute.per_batch and job.toml:3: compute.per_update are two names of one key; leave "
      "one of them out");
}

TEST(Scenario, DescribesTimeInOneWay) {
  EXPECT_EQ(text_refusal("[job]\nrounds = 1\n[time]\nsend = \"1 s\"\n[network]\nlatency = \"0 s\"\n"),
            "job.toml:4: time.send and job.toml:6: network.latency both describe how long things take; keep "
            "[time] alone, or [model], [network] and [compute] without it");
  EXPECT_THAT(text_refusal("[time]\nsend = \"1 s\"\n[model]\nparameters = 7\n"),
              HasSubstr("job.toml:2: time.send and job.toml:4: model.parameters both describe"));
  EXPECT_THAT(text_refusal("[time]\nsend = \"1 s\"\n[compute]\nper_update = \"1 s\"\n"),
              HasSubstr("job.toml:2: time.send and job.toml:4: compute.per_update both describe"));
  EXPECT_EQ(text_refusal("[job]\nrounds = 1\n[time]\nsend = \"1 s\"\n[compute]\nfactors = [2]\n"),
            "accepted");
}

TEST(Scenario, TakesTime) {
  EXPECT_EQ(text_refusal(""),
            "nothing says how long the job takes; add [time] with what was measured; or [compute] per_batch, "
            "and [network] bandwidth with [model] parameters");
  EXPECT_THAT(text_refusal("[time]\nsend = \"0 s\"\n"),
              HasSubstr("job.toml:2: time.send: all phases take 0 s"));
  EXPECT_EQ(
      text_refusal("[network]\nlatency = \"1 s\"\n"),
      "job.toml:2: network.latency has no messages to carry, as model.parameters is 0; say how many are "
      "exchanged, like model.parameters = 25_000_000");
  EXPECT_THAT(refusal({"compute.ready=1 s"}),
              HasSubstr("--set compute.ready and --set compute.per_batch both say when gradients are there"));
}

TEST(Scenario, HasOneEnd) {
  const std::string async = "[job]\nmode = \"async\"\nstrategy = \"parameter-server\"\n";
  const std::string compute = "[compute]\nper_update = \"1 s\"\n";
  EXPECT_EQ(text_refusal(async + compute),
            "job.toml:2: job.mode: an async job needs an end: job.rounds, job.samples, job.until or "
            "job.until_updates; add one of them, like job.rounds = 100");
  EXPECT_THAT(text_refusal(compute), HasSubstr("job.mode: a sync job needs an end"));
  for (const char* end :
       {"rounds = 1\n", "samples = 1\nbatch = 1\n", "until = \"1 s\"\n", "until_updates = 1\n"})
    EXPECT_EQ(text_refusal(async + end + compute), "accepted");
  EXPECT_EQ(
      refusal({"job.until=1 s"}),
      "--set job.rounds and --set job.until both say when the job ends; leave one of them out; --set of one "
      "to 0 takes back what a file says");
  EXPECT_EQ(refusal({"job.rounds=0", "job.until=1 s"}),
            "--set job.until is for workers that do not wait for all others, and job.mode is sync; give "
            "job.rounds: a round is one update");
  EXPECT_THAT(refusal({"job.rounds=0", "job.until_updates=3"}),
              HasSubstr("--set job.until_updates is for workers"));
  EXPECT_THAT(refusal({"job.samples=8", "job.batch=1"}), HasSubstr("both say when the job ends"));
}

TEST(Scenario, SharesItsSamplesAmongWorkers) {
  const std::string compute = "[compute]\nper_batch = \"1 s\"\n";
  EXPECT_EQ(text_refusal("[job]\nsamples = 10\n" + compute),
            "job.toml:2: job.samples needs job.batch; say how many samples a worker takes at once, like "
            "job.batch = 32");
  EXPECT_EQ(text_refusal("[job]\nsamples = 10\nbatch = 11\nworkers = 3\n" + compute),
            "job.toml:3: job.batch is 11, and there are 10 samples; take smaller batches");
  EXPECT_EQ(text_refusal("[job]\nsamples = 10\nbatch = 4\nworkers = 30\n" + compute), "accepted");
  EXPECT_EQ(text_refusal("[job]\nsamples = 10\nbatch = 4\nworkers = 3\nstrategy = \"federated\"\n" + compute),
            "job.toml:3: job.batch is 4, and a worker has 3 samples; take smaller batches or fewer workers");
  EXPECT_EQ(text_refusal("[job]\nbatch = 1\nstrategy = \"federated\"\n" + compute),
            "job.toml:3: job.strategy: a federated job needs job.samples and job.batch; say how many samples "
            "there are, and how many a worker takes at once");
  EXPECT_EQ(refusal({"job.strategy=federated", "job.samples=10", "job.batch=3"}), "accepted");
}

TEST(Scenario, HasRoundsOnlyWhereAllWait) {
  const std::vector<std::string> async = {"job.mode=async", "job.strategy=parameter-server"};
  const auto with = [&](const char* setting) {
    std::vector<std::string> all = async;
    all.emplace_back(setting);
    return refusal(all);
  };
  EXPECT_EQ(with("job.seed=2"), "accepted");
  EXPECT_EQ(with("job.buckets=2"),
            "--set job.buckets is for rounds, and --set job.mode is async; leave it out, or choose sync");
  EXPECT_THAT(with("job.overlap=true"), HasSubstr("--set job.overlap is for rounds"));
  EXPECT_THAT(
      text_refusal("[job]\nrounds = 1\nmode = \"async\"\nstrategy = \"parameter-server\"\n[time]\ncompute = "
                   "\"1 s\"\n"),
      HasSubstr("job.toml:6: time.compute is of rounds, and job.toml:3: job.mode is async; describe"));
}

TEST(Scenario, HasNoMoreBucketsThanParameters) {
  EXPECT_EQ(text_refusal(
                "[job]\nrounds = 1\nbuckets = 3\n[model]\nparameters = 2\n[compute]\nper_batch = \"1 s\"\n"),
            "job.toml:3: job.buckets is 3, and job.toml:5: model.parameters is 2; take fewer buckets");
}

TEST(Scenario, HasOtherModesThanSyncOnlyWithAServer) {
  EXPECT_EQ(refusal({"job.mode=ssp:2"}),
            "--set job.mode is ssp:2, and job.strategy is ring; choose parameter-server, with which workers "
            "need not wait for all others, or sync");
  EXPECT_THAT(refusal({"job.mode=async", "job.strategy=federated"}),
              HasSubstr("--set job.strategy is federated; choose parameter-server"));
  EXPECT_THAT(refusal({"job.mode=backup:4", "job.strategy=parameter-server", "job.workers=4"}),
              HasSubstr("--set job.mode is backup:4, and --set job.workers is 4; leave out fewer"));
  EXPECT_THAT(refusal({"job.mode=async", "job.strategy=parameter-server", "compute.per_batch=0 s",
                       "compute.ready=1 s"}),
              HasSubstr("--set compute.ready is for rounds, and --set job.mode is async"));
}

TEST(Scenario, HasNotMoreOfWorkersThanThereAre) {
  EXPECT_EQ(refusal({"job.workers=2", "compute.factors=[1, 2, 3]"}),
            "--set compute.factors has 3 elements, and --set job.workers is 2; give at most one for each "
            "worker");
  EXPECT_THAT(refusal({"compute.starts=[\"1 s\", \"2 s\"]"}), HasSubstr("2 elements, and job.workers is 1"));
  EXPECT_EQ(refusal({"job.workers=2", "compute.factors=[1, 2]"}), "accepted");
}

TEST(Scenario, HasHostsAndServersThatFitItsWorkers) {
  EXPECT_EQ(
      refusal({"job.workers=6", "network.topology=hosts", "host.workers=4"}),
      "--set host.workers is 4, and --set job.workers is 6; give every host the same number of workers");
  EXPECT_THAT(refusal({"job.workers=6", "job.strategy=hierarchical", "host.workers=4"}),
              HasSubstr("give every host the same number"));
  EXPECT_EQ(refusal({"job.workers=6", "host.workers=4"}), "accepted");
  EXPECT_EQ(refusal({"job.strategy=parameter-server", "server.count=2", "server.on_workers=true"}),
            "--set server.count is 2, and job.workers is 1; take fewer servers, or hosts of their own: "
            "server.on_workers = false");
  EXPECT_EQ(refusal({"job.strategy=parameter-server", "server.count=2"}), "accepted");
}

TEST(Scenario, SaysHowFarTimesSpread) {
  EXPECT_EQ(refusal({"compute.spread=normal"}),
            "--set compute.spread needs compute.deviation; give it as a part of the mean, like "
            "compute.deviation = 0.1");
  EXPECT_EQ(refusal({"compute.spread=exponential"}), "accepted");
}

TEST(Scenario, SaysWhatIsSetAndNotUsed) {
  EXPECT_THAT(
      unused_keys(load_sets({"server.count=2", "host.cores=4", "job.epochs=3"})),
      ElementsAre("job.epochs (--set) is not used: it is for jobs with samples that are not federated",
                  "host.cores (--set) is not used: it is for topology hosts",
                  "server.count (--set) is not used: it is for parameter-server and federated"));
}

TEST(Scenario, UsesTheKeysOfAllStrategiesInARanking) {
  EXPECT_THAT(unused_keys(load_sets({"server.count=2", "host.cores=4"}), /*ranked=*/true),
              ElementsAre("host.cores (--set) is not used: it is for topology hosts"));
}

TEST(ExplainedScenario, IsAFileThatGivesTheSame) {
  for (const char* name : {"federated", "async_time", "one_host_8_cores"}) {
    const LoadedScenario loaded = load_scenario({.file = std::string("examples/planning/") + name + ".toml"});
    EXPECT_EQ(read_scenario(explain_scenario(loaded), "again"), loaded.scenario);
  }
}

TEST(ExplainedScenario, SaysWhereValuesComeFrom) {
  const std::string text =
      explain_scenario(load_scenario({.sets = {"job.rounds=3", "compute.per_update=1 s"}}));
  EXPECT_THAT(text, HasSubstr("per_batch = \"1 s\"  "));
  EXPECT_THAT(
      text, HasSubstr("# --set    jobs without [time]: a worker computes one batch; also called per_update"));
  EXPECT_THAT(text, HasSubstr("# receive = \"0 s\"  "));
  EXPECT_THAT(text, HasSubstr("\nbandwidth = \"unlimited\"  "));
}

std::int64_t whole(std::int64_t min, std::int64_t max) {
  return *rc::gen::inRange<std::int64_t>(min, max + 1);
}

std::int32_t small(std::int32_t min, std::int32_t max) { return static_cast<std::int32_t>(whole(min, max)); }

bool truth() { return *rc::gen::arbitrary<bool>(); }

// From `least` to a day more, of every magnitude.
Picoseconds span(Picoseconds least = 0) {
  return least + (whole(0, 86'400 * kSecond) >> *rc::gen::inRange<std::int32_t>(0, 56));
}

// 0 for unlimited, or a rate of any size and number of bits.
double rate() {
  return truth() ? 0 : std::ldexp(static_cast<double>(whole(1, (1LL << 53) - 1)), small(-60, 60));
}

double part(double most) { return most * static_cast<double>(whole(1, 1 << 30)) / (1 << 30); }

template <typename Make>
auto up_to(std::int32_t most, const Make& make) {
  std::vector<decltype(make())> values(static_cast<std::size_t>(whole(0, most)));
  for (auto& value : values) value = make();
  return values;
}

// Sets one of the ways to end a job.
void choose_end(Scenario::Job& job) {
  const std::int64_t way = job.federated ? 1 : whole(0, job.mode.kind == Mode::Kind::kSync ? 1 : 3);
  if (way == 0) job.rounds = whole(1, 1000);
  if (way == 1) job.samples = whole(job.workers, 1 << 20);
  if (way == 2) job.until = span(1);
  if (way == 3) job.until_updates = whole(1, 1000);
  job.batch = job.samples == 0 ? whole(0, 100) : whole(1, job.samples / job.workers);
  if (job.federated) job.rounds = whole(0, 10);
}

Mode any_mode(std::int32_t workers) {
  switch (whole(0, workers > 1 ? 3 : 2)) {
    case 0:
      return {Mode::Kind::kSync};
    case 1:
      return {Mode::Kind::kAsync};
    case 2:
      return {Mode::Kind::kSsp, small(1, 9)};
    default:
      return {Mode::Kind::kBackup, small(1, workers - 1)};
  }
}

Scenario::Job any_job() {
  Scenario::Job job;
  job.workers = small(1, 100);
  job.federated = truth();
  job.strategy =
      job.federated
          ? plan::Strategy::kParameterServer
          : *rc::gen::elementOf(std::vector(plan::all_strategies().begin(), plan::all_strategies().end()));
  if (!job.federated && job.strategy == plan::Strategy::kParameterServer) job.mode = any_mode(job.workers);
  choose_end(job);
  job.epochs = whole(1, 100);
  job.local_epochs = whole(1, 100);
  job.local_steps = whole(1, 100);
  const bool has_rounds = job.mode.kind == Mode::Kind::kSync;
  job.buckets = has_rounds ? small(1, 100) : 1;
  job.overlap = has_rounds && truth();
  job.seed = whole(0, INT64_MAX - 1);
  return job;
}

void describe_cluster(Scenario& scenario) {
  scenario.model = {whole(scenario.job.buckets, 1'000'000'000), whole(1, 8)};
  scenario.network = {span(), rate(), span(),
                      *rc::gen::element(Topology::kSwitch, Topology::kRing, Topology::kHosts)};
  scenario.compute.reduce = rate();
  const bool is_ready = scenario.job.mode.kind == Mode::Kind::kSync && truth();
  (is_ready ? scenario.compute.ready : scenario.compute.per_batch) = span(1);
}

Scenario any_scenario() {
  Scenario scenario;
  scenario.job = any_job();
  const std::int32_t workers = scenario.job.workers;
  if (scenario.job.mode.kind == Mode::Kind::kSync && truth()) {
    scenario.time = {span(), span(1), span(), span()};
  } else {
    describe_cluster(scenario);
  }
  scenario.host = {truth() ? 1 : workers, rate(), small(0, 100)};
  scenario.compute.spread =
      *rc::gen::element(Spread::kNone, Spread::kNormal, Spread::kLognormal, Spread::kExponential);
  scenario.compute.deviation = part(100);
  scenario.compute.backward = part(1);
  scenario.compute.factors = up_to(workers, [] { return part(1e6); });
  scenario.compute.starts = up_to(workers, [] { return span(); });
  scenario.server = {small(1, workers), truth(), span(), span()};
  return scenario;
}

RC_GTEST_PROP(ScenarioText, GivesTheSameScenarioWhenItIsReadBack, ()) {
  const Scenario scenario = any_scenario();
  RC_ASSERT(read_scenario(to_toml(scenario), "again") == scenario);
}

}  // namespace
}  // namespace trireme::sim
