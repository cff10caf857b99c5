// `trireme simulate`: runs a job on a cluster described in a file, event by event.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/out_file.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/progress_line.h"
#include "cli/scenario_flags.h"
#include "plan/share.h"
#include "report/simulation_report.h"
#include "schedule/schedule.h"
#include "sim/model/job_plan.h"
#include "sim/planner/simulation.h"
#include "sim/scenario/load_scenario.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
FILE describes a job and a cluster: docs/planning.md explains the format.
simulate also covers workers that differ, random compute times, shared network
cards and memory, and the modes async, ssp:K and backup:B, for which trireme
predict has no formula. A flag
wins over --set, --set over FILE, FILE over the defaults. Without FILE,
--workers, --parameters, --bandwidth, --latency and --per-batch describe one
round, or as many as --set job.rounds says.

Examples:
  trireme simulate examples/planning/async_updates.toml
  trireme simulate examples/planning/cluster_16x10GbE.toml --set compute.spread=exponential
  trireme simulate examples/planning/cluster_16x10GbE.toml --set job.rounds=2 --trace trace.json
  trireme simulate examples/planning/async_time.toml --schedule schedule.jsonl
)";

struct Flags : ScenarioFlags {
  std::string trace;
  std::string schedule;
};

// Writes each event as it comes, because a trace may be larger than memory.
class TraceFile {
 public:
  TraceFile(const std::string& path, const plan::PlanSpec& spec) : file_(path) {
    file_.write(report::trace_head(spec.nodes(), plan::NodeNames(spec.workers, spec.servers)));
  }
  void add(const sim::SimSpan& span) { file_.write(report::trace_event(span)); }
  void finish() {
    file_.write(report::trace_tail());
    file_.finish();
  }

 private:
  OutFile file_;
};

// Likewise. A described job has no learning rate, so what divides it is the default.
class ScheduleFile {
 public:
  ScheduleFile(const std::string& path, const sim::Scenario& scenario) : file_(path) {
    const plan::PlanSpec spec = sim::plan_of(scenario);
    file_.write(schedule::first_line(
        {.mode = to_string(scenario.job.mode), .workers = spec.workers, .servers = plan::share_count(spec)}));
  }
  void add(const schedule::Write& write) { file_.write(schedule::line(write)); }
  void finish() { file_.finish(); }

 private:
  OutFile file_;
};

sim::Simulation simulate_into_files(const Flags& flags, const sim::Scenario& scenario) {
  std::optional<TraceFile> trace;
  std::optional<ScheduleFile> order;
  sim::SimWatch watch;
  sim::WriteWatch writes;
  if (!flags.trace.empty()) {
    trace.emplace(flags.trace, sim::plan_of(scenario));
    watch = [&](const sim::SimSpan& span) { trace->add(span); };
  }
  if (!flags.schedule.empty()) {
    order.emplace(flags.schedule, scenario);
    writes = [&](const schedule::Write& write) { order->add(write); };
  }
  ProgressLine line("simulate");
  sim::Simulation simulation = sim::simulate(
      scenario, watch, [&](double part) { line(part); }, writes);
  if (trace) trace->finish();
  if (order) order->finish();
  return simulation;
}

// Two rounds are enough to see the pattern, or three updates per worker.
std::vector<sim::SimSpan> beginning_of(sim::Scenario scenario) {
  constexpr std::int32_t kMostNodes = 64;
  if (scenario.job.workers > kMostNodes) return {};
  sim::Scenario::Job& job = scenario.job;
  if (job.federated) {
    job.rounds = 1;  // with all its samples
  } else if (job.mode.kind == sim::Mode::Kind::kSync) {
    job.samples = 0;
    job.rounds = job.rounds == 1 ? 1 : 2;
  } else {
    const std::int64_t few = 3 * std::int64_t{job.workers};
    job.until_updates = job.until_updates > 0 ? std::min(job.until_updates, few) : few;
  }
  constexpr std::size_t kMost = 20'000;
  std::vector<sim::SimSpan> spans;
  struct Enough {};
  try {
    static_cast<void>(sim::simulate(scenario, [&](const sim::SimSpan& span) {
      spans.push_back(span);
      if (spans.size() == kMost) throw Enough();
    }));
  } catch (const Enough&) {
  }
  return spans;
}

void simulate_job(const Flags& flags, const sim::ScenarioInputs& inputs) {
  refuse_one_file_twice({{"FILE", flags.file}, {"--trace", flags.trace}, {"--schedule", flags.schedule}});
  const sim::LoadedScenario loaded = load(inputs);
  tell_notes("simulate", loaded);
  if (flags.print_config) return write_output(sim::explain_scenario(loaded));
  const sim::Scenario& scenario = loaded.scenario;
  if (!flags.schedule.empty() && scenario.job.mode == sim::Mode{}) {
    throw bad_input(
        "--schedule: the workers of a sync job all read the same weights, so there is no schedule",
        "add --set job.strategy=parameter-server --set job.mode=async, or ssp:3, or backup:1");
  }
  const sim::Simulation simulation = simulate_into_files(flags, scenario);
  for (const std::string& file : {flags.trace, flags.schedule}) {
    if (!file.empty()) say_written("simulate", file);
  }
  const plan::PlanSpec spec = sim::plan_of(scenario);
  report::SimulationReport report{
      .scenario = scenario, .simulation = simulation, .names = plan::NodeNames(spec.workers, spec.servers)};
  if (flags.json) return write_output(report::document_text(report::to_json(report)));
  report.beginning = beginning_of(scenario);
  write_output(report::to_text(report));
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      program.add_subcommand("simulate", "Simulate a job on a described cluster, event by event");
  flags->add_input(*command);
  command->add_option("--trace", flags->trace, "write all events, for chrome://tracing or Perfetto")
      ->type_name("FILE");
  command
      ->add_option("--schedule", flags->schedule,
                   "write in what order async, ssp and backup workers read and write, as JSON lines")
      ->type_name("FILE");
  flags->add_output(*command);
  command->footer(kExamples);
  command->callback([=] {
    refuse_empty(*command);
    simulate_job(*flags, flags->inputs(*command));
  });
}

}  // namespace trireme::cli
