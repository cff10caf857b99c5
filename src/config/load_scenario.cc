#include "config/load_scenario.h"

#include "config/check_scenario.h"
#include "config/scenario_keys.h"

namespace trireme {
namespace {

LoadedScenario resolve(const std::vector<Setting>& settings) {
  LoadedScenario loaded;
  scenario_keys().read(settings, loaded.scenario, loaded.sources);
  check(loaded.scenario, loaded.sources);
  return loaded;
}

}  // namespace

LoadedScenario load_scenario(const ScenarioInputs& inputs) {
  std::vector<Setting> settings;
  if (!inputs.file.empty()) settings = read_toml_file(inputs.file);
  for (const std::string& set : inputs.sets) settings.push_back(read_assignment(set));
  settings.insert(settings.end(), inputs.flags.begin(), inputs.flags.end());
  return resolve(settings);
}

Scenario read_scenario(std::string_view text, const std::string& name) {
  return resolve(read_toml(text, name)).scenario;
}

std::string to_toml(const Scenario& scenario) {
  const std::vector<KeyLine> defaults = scenario_keys().lines(Scenario(), {});
  const std::vector<KeyLine> lines = scenario_keys().lines(scenario, {});
  std::vector<KeyLine> written;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].used || lines[i].value != defaults[i].value) written.push_back(lines[i]);
  }
  return plain_toml(written);
}

std::string explain_scenario(const LoadedScenario& loaded) {
  return explained_toml(scenario_keys().lines(loaded.scenario, loaded.sources));
}

std::vector<std::string> unused_keys(const LoadedScenario& loaded) {
  return say_unused(scenario_keys().lines(loaded.scenario, loaded.sources));
}

}  // namespace trireme
