#include "cli/scenario_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/file_kind.h"

namespace trireme::cli {
namespace {

bool sets_key(const sim::ScenarioInputs& inputs, std::string_view begin) {
  return std::any_of(
             inputs.sets.begin(), inputs.sets.end(),
             [&](const std::string& set) { return config::read_assignment(set).key.starts_with(begin); }) ||
         std::any_of(inputs.flags.begin(), inputs.flags.end(),
                     [&](const config::Setting& flag) { return flag.key.starts_with(begin); });
}

bool has_end(const sim::ScenarioInputs& inputs) {
  return sets_key(inputs, "job.rounds") || sets_key(inputs, "job.samples") || sets_key(inputs, "job.until");
}

// Without a file, the flags must give all that a forecast needs, or measured phases.
void require_described(const sim::ScenarioInputs& inputs) {
  if (sets_key(inputs, "time.")) return;
  std::vector<std::string_view> needed;
  std::vector<std::string_view> missing;
  for (const ScenarioKeyFlag& one : kScenarioKeyFlags) {
    if (!one.is_needed) continue;
    needed.emplace_back(one.flag);
    if (!sets_key(inputs, one.key)) missing.emplace_back(one.flag);
  }
  if (missing.empty()) return;
  if (inputs.sets.empty() && inputs.flags.empty()) {
    throw bad_input("FILE is missing",
                    fmt::format("give a TOML file that describes the job and the cluster, or {}",
                                fmt::join(needed, ", ")));
  }
  throw bad_input(fmt::format("there is no FILE, and {} {} missing", fmt::join(missing, ", "),
                              missing.size() == 1 ? "is" : "are"),
                  "add what is missing, or a TOML file that describes the job and the cluster");
}

bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;  // if it cannot be examined, opening it reports why
  if (std::filesystem::exists(a, error) && std::filesystem::exists(b, error)) {
    return std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error);
  }
  const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(a, error), error);
  return !error && path == std::filesystem::weakly_canonical(std::filesystem::absolute(b, error), error);
}

}  // namespace

void refuse_one_file_twice(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (files[i].path.empty() || files[j].path.empty() || !is_one_file(files[i].path, files[j].path))
        continue;
      throw bad_input(fmt::format("{} and {} are one file, {}: it would be overwritten", files[j].name,
                                  files[i].name, printable(files[i].path)),
                      fmt::format("give {} another name", files[i].name));
    }
  }
}

void ScenarioFlags::add_input(CLI::App& command) {
  command.add_option("FILE", file, "TOML file that describes the job and the cluster")->type_name("");
  for (std::size_t i = 0; i < kScenarioKeyFlags.size(); ++i) {
    const ScenarioKeyFlag& one = kScenarioKeyFlags[i];
    command.add_option(one.flag, of_keys[i], one.help)->type_name(one.type);
  }
  command.add_option("--set", sets, "set any key of --print-config; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

sim::ScenarioInputs ScenarioFlags::inputs(const CLI::App& command) const {
  sim::ScenarioInputs inputs{.file = file, .sets = sets};
  for (std::size_t i = 0; i < kScenarioKeyFlags.size(); ++i) {
    const ScenarioKeyFlag& one = kScenarioKeyFlags[i];
    if (command.count(one.flag) > 0)
      inputs.flags.push_back(config::read_typed(one.key, of_keys[i], one.flag));
  }
  if (command.count("FILE") == 0) {
    require_described(inputs);
    if (!has_end(inputs))
      inputs.flags.push_back(config::read_typed("job.rounds", "1", std::string(config::kDefault)));
  } else if (file.empty()) {
    throw bad_input("FILE is empty", "give the path of a TOML file");
  }
  return inputs;
}

sim::LoadedScenario load(const sim::ScenarioInputs& inputs) try {
  return sim::load_scenario(inputs);
} catch (const Error&) {
  refuse_training(inputs.file);
  throw;
}

void ScenarioFlags::add_output(CLI::App& command) {
  command.add_flag("--json", json, "print one JSON document")->disable_flag_override();
  command.add_flag("--print-config", print_config, "print the description with every key")
      ->disable_flag_override();
}

void say_written(const char* command, const std::string& file) {
  write_error(fmt::format("trireme {}: wrote {}\n", command, printable(file)));
}

void tell_notes(const char* command, const sim::LoadedScenario& loaded) {
  const auto tell = [&](const std::string& sentence) {
    write_error(fmt::format("trireme {}: {}\n", command, sentence));
  };
  const sim::Scenario& scenario = loaded.scenario;
  const bool ranks = command == std::string_view("predict") && !scenario.time && !scenario.job.federated;
  for (const std::string& sentence : sim::unused_keys(loaded, ranks)) tell(sentence);
  const bool has_rate =
      scenario.network.bandwidth > 0 ||
      (scenario.network.topology == sim::Topology::kHosts && scenario.host.memory_bandwidth > 0);
  if (scenario.model.parameters > 0 && !has_rate) {
    tell("network.bandwidth is not given: messages take no time for their size");
  }
}

}  // namespace trireme::cli
