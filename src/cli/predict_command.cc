// `trireme predict`: the time of a job on a cluster described in a file, by formula.
#include <fmt/format.h>

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
#include "plan/strategies/strategies.h"
#include "report/forecast_report.h"
#include "report/job_words.h"
#include "report/sweep_report.h"
#include "sim/planner/simulation.h"
#include "sim/scenario/effect.h"
#include "sim/scenario/load_scenario.h"
#include "sim/scenario/sweep.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
FILE describes a job and a cluster: docs/planning.md explains the format, and
examples/planning has examples. --print-config shows every key, its meaning and
its value. A flag wins over --set, --set over FILE, FILE over the
defaults. Without FILE, --workers, --parameters, --bandwidth, --latency and
--per-batch describe one round, or as many as --set job.rounds says.

Examples:
  trireme predict examples/planning/master_and_workers.toml
  trireme predict examples/planning/cluster_16x10GbE.toml
  trireme predict examples/planning/cluster_16x10GbE.toml --strategy direct
  trireme predict examples/planning/master_and_workers.toml --max-workers 12
  trireme predict --workers 8 --parameters 11e6 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms'
  trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=1..1024 --svg workers.svg
  trireme predict examples/planning/cluster_16x10GbE.toml --sweep 'network.latency=1 us..10 ms'
)";

struct Flags : ScenarioFlags {
  std::string max_workers, sweep, csv, svg;
};

// Empty if not given.
std::optional<std::int32_t> limit_of(const Flags& flags) {
  constexpr std::int64_t kMost = 65'536;
  if (flags.max_workers.empty()) return std::nullopt;
  return static_cast<std::int32_t>(parse_integer(printable(flags.max_workers), "--max-workers", 1, kMost));
}

// Finds what would change the forecast, and which keys have no effect.
void look_around(const sim::LoadedScenario& loaded, std::optional<std::int32_t> max_workers,
                 report::ForecastReport& report) {
  const sim::Scenario& scenario = loaded.scenario;
  if (!report.forecast.ranking.empty()) {
    ProgressLine line("predict");
    report.turns = sim::turns(scenario, [&](double part) { line(part); });
    report.crossovers = sim::crossovers(scenario);
  }
  report.worth = sim::advise_workers(scenario, max_workers);
  report.slower_than_one = sim::slower_than_one(scenario);
  report.without_effect = sim::keys_without_effect(loaded, [](const sim::Scenario& other) {
    return report::to_json(report::ForecastReport{.scenario = other, .forecast = sim::forecast(other)})
        .dump();
  });
}

report::ForecastReport report_of(const sim::LoadedScenario& loaded, std::optional<std::int32_t> max_workers) {
  const sim::Scenario& scenario = loaded.scenario;
  report::ForecastReport report{.scenario = scenario, .forecast = sim::forecast(scenario)};
  report.is_simulable = sim::is_simulable(scenario);
  report.is_searched = sim::is_searchable(scenario);
  if (report.is_searched) look_around(loaded, max_workers, report);
  if (max_workers && !report.worth) {
    write_error("trireme predict: --max-workers has no effect here: there is no advice on this job\n");
  }
  return report;
}

// All strategies; for measured phases and federated jobs only the job's own.
std::vector<plan::Strategy> strategies_of(const sim::Scenario& scenario) {
  if (scenario.time || scenario.job.federated) return {scenario.job.strategy};
  const auto all = plan::all_strategies();
  return {all.begin(), all.end()};
}

// Adds no time if the numbers do not fit together: 3 workers do not fill a whole number of hosts.
void add_strategy(report::SweepPoint& point, sim::Scenario scenario, plan::Strategy strategy) {
  scenario.job.strategy = strategy;
  const std::optional<sim::JobTime> time = sim::known_time(scenario, strategy);
  if (time && !time->exact) point.about.insert(point.seconds.size());
  point.seconds.push_back(time ? std::optional(time->total_s) : std::nullopt);
  point.speedups.push_back(time ? sim::speedup_of(scenario, time->total_s) : sim::Speedup{});
}

report::SweepReport sweep_over(const sim::Sweep& sweep, const sim::LoadedScenario& loaded) {
  const sim::Scenario& scenario = loaded.scenario;
  report::SweepReport report;
  report.key = sweep.key;
  report.job = report::job_words(scenario, sweep.key);
  report.fixed_rounds = scenario.job.rounds > 0 && !scenario.job.federated;
  const std::vector<plan::Strategy> strategies = strategies_of(scenario);
  for (const plan::Strategy strategy : strategies) {
    report.strategies.emplace_back(scenario.job.federated ? "federated" : plan::name(strategy));
  }
  std::optional<Error> refused;
  for (const std::string& value : sweep.values) {
    const config::Setting setting = sim::setting_of(sweep, value);
    try {
      const sim::Scenario changed = sim::with_setting(loaded, setting);
      report::SweepPoint point{.value = value, .seconds = {}, .speedups = {}};
      for (const plan::Strategy strategy : strategies) add_strategy(point, changed, strategy);
      report.points.push_back(std::move(point));
    } catch (const Error& error) {  // in a range, the values that fit are enough
      if (!sweep.is_range) throw;
      if (!refused) refused = error;
    }
  }
  if (report.points.empty()) throw Error(*refused);
  if (const std::size_t left_out = sweep.values.size() - report.points.size(); left_out > 0) {
    write_error(fmt::format("trireme predict: the sweep leaves out {} of {} values; the first: {}\n",
                            left_out, sweep.values.size(), refused->what()));
  }
  return report;
}

void predict(const Flags& flags, const sim::ScenarioInputs& inputs) {
  const std::optional<std::int32_t> max_workers = limit_of(flags);
  refuse_one_file_twice({{"FILE", flags.file}, {"--csv", flags.csv}, {"--svg", flags.svg}});
  const sim::LoadedScenario loaded = load(inputs);
  tell_notes("predict", loaded);
  if (flags.print_config) return write_output(sim::explain_scenario(loaded));
  sim::require_formula(loaded.scenario);
  if (flags.sweep.empty()) {
    if (!flags.csv.empty() || !flags.svg.empty()) {
      throw bad_input("--csv and --svg require --sweep", "add --sweep, such as --sweep workers=1..1024");
    }
    const report::ForecastReport report = report_of(loaded, max_workers);
    return write_output(flags.json ? report::document_text(report::to_json(report))
                                   : report::to_text(report));
  }
  if (max_workers) {
    throw bad_input("--max-workers is for the advice of a single forecast",
                    "leave it out, or leave --sweep out");
  }
  const report::SweepReport report = sweep_over(sim::parse_sweep(flags.sweep), loaded);
  if (!flags.csv.empty()) write_file(flags.csv, report::to_csv(report));
  if (!flags.svg.empty()) write_file(flags.svg, report::to_svg(report));
  for (const std::string& file : {flags.csv, flags.svg}) {
    if (!file.empty()) say_written("predict", file);
  }
  write_output(flags.json ? report::document_text(report::to_json(report)) : report::to_text(report));
}

}  // namespace

void add_predict(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      program.add_subcommand("predict", "Predict the time and traffic of a job on a cluster, by formula");
  flags->add_input(*command);
  command
      ->add_option("--max-workers", flags->max_workers,
                   "limit of the advice on workers (one batch each per epoch)")
      ->type_name("NUMBER");
  command->add_option("--sweep", flags->sweep, "vary one key, for every strategy")->type_name("KEY=FROM..TO");
  command->add_option("--csv", flags->csv, "write the sweep as a table")->type_name("FILE");
  command->add_option("--svg", flags->svg, "draw the sweep")->type_name("FILE");
  flags->add_output(*command);
  command->footer(kExamples);
  command->callback([=] {
    refuse_empty(*command);
    predict(*flags, flags->inputs(*command));
  });
}

}  // namespace trireme::cli
