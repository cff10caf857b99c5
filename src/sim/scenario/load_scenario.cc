#include "sim/scenario/load_scenario.h"

#include <utility>

#include "sim/scenario/check_scenario.h"
#include "sim/scenario/scenario_keys.h"

namespace trireme::sim {
namespace {

LoadedScenario resolve(std::vector<config::Setting> settings) {
  LoadedScenario loaded;
  loaded.settings = std::move(settings);
  scenario_keys().read(loaded.settings, loaded.scenario, loaded.sources);
  check(loaded.scenario, loaded.sources);
  return loaded;
}

bool is_of_a_strategy(const config::KeyLine& line) {
  return line.name.starts_with("server.") || line.name == "host.workers";
}

}  // namespace

LoadedScenario load_scenario(const ScenarioInputs& inputs) {
  std::vector<config::Setting> settings;
  if (!inputs.file.empty()) settings = config::read_toml_file(inputs.file);
  for (const std::string& set : inputs.sets) settings.push_back(config::read_assignment(set));
  settings.insert(settings.end(), inputs.flags.begin(), inputs.flags.end());
  return resolve(std::move(settings));
}

Scenario with_setting(const LoadedScenario& loaded, const config::Setting& setting) {
  std::vector<config::Setting> settings = loaded.settings;
  settings.push_back(setting);
  return resolve(std::move(settings)).scenario;
}

Scenario read_scenario(std::string_view text, const std::string& name) {
  return resolve(config::read_toml(text, name)).scenario;
}

std::string to_toml(const Scenario& scenario) {
  const std::vector<config::KeyLine> defaults = scenario_keys().lines(Scenario(), {});
  const std::vector<config::KeyLine> lines = scenario_keys().lines(scenario, {});
  std::vector<config::KeyLine> written;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].used || lines[i].value != defaults[i].value) written.push_back(lines[i]);
  }
  return config::plain_toml(written);
}

std::string explain_scenario(const LoadedScenario& loaded) {
  return config::explained_toml(scenario_keys().lines(loaded.scenario, loaded.sources));
}

std::vector<std::string> unused_keys(const LoadedScenario& loaded, bool ranked) {
  std::vector<config::KeyLine> lines = scenario_keys().lines(loaded.scenario, loaded.sources);
  if (ranked) std::erase_if(lines, is_of_a_strategy);
  return config::say_unused(lines);
}

}  // namespace trireme::sim
