// Reads a job on a cluster to be predicted, from a file and from typed settings, and writes it back as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/key_table.h"
#include "config/toml.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

/// The inputs, weakest first. A key that no input sets has its default.
struct ScenarioInputs {
  std::string file{};               ///< a path; empty: none
  std::vector<std::string> sets{};  ///< "key=value"
  std::vector<config::Setting> flags{};
};

struct LoadedScenario {
  Scenario scenario;
  config::Sources sources;                ///< only of the keys that were set
  std::vector<config::Setting> settings;  ///< from which it was made, weakest first
};

/// A scenario that has passed `check`. Throws `Error` (bad input) that names file and line, or flag, and the
/// key.
[[nodiscard]] LoadedScenario load_scenario(const ScenarioInputs& inputs);

/// The same scenario with one key set otherwise; the file is not read again. Throws likewise.
[[nodiscard]] Scenario with_setting(const LoadedScenario& loaded, const config::Setting& setting);

/// The same for a text alone, such as `to_toml` writes; `name` stands for it in errors.
[[nodiscard]] Scenario read_scenario(std::string_view text, const std::string& name);

/// Reading the text gives the same scenario. It has unused keys only if they do not have their defaults: a
/// [time] section means that it describes the job.
[[nodiscard]] std::string to_toml(const Scenario& scenario);

/// A file that gives the same scenario, except for unused keys, which are commented out. Every key is
/// followed by its meaning and the origin of its value.
[[nodiscard]] std::string explain_scenario(const LoadedScenario& loaded);

/// One sentence for each key that was set but is not used. That is no error: a file may describe servers
/// while --set tries a ring. `ranked`: all strategies are compared, so the keys of any strategy are used.
[[nodiscard]] std::vector<std::string> unused_keys(const LoadedScenario& loaded, bool ranked = false);

}  // namespace trireme::sim
