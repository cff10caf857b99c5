// A job on a cluster that is to be predicted, from a file and from what is typed, and back into text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/key_table.h"
#include "config/toml.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

/// What says something, weakest first. What nobody sets has its default.
struct ScenarioInputs {
  std::string file{};               ///< a path; empty: none
  std::vector<std::string> sets{};  ///< "key=value"
  std::vector<config::Setting> flags{};
};

struct LoadedScenario {
  Scenario scenario;
  config::Sources sources;  ///< of the keys that were set, and of no others
};

/// A scenario that has passed `check`. Throws `Error` (bad input) that names file and line, or flag, and the
/// key.
[[nodiscard]] LoadedScenario load_scenario(const ScenarioInputs& inputs);

/// The same of a text alone, such as `to_toml` writes; `name` stands for it in errors.
[[nodiscard]] Scenario read_scenario(std::string_view text, const std::string& name);

/// Reading it gives the same scenario. Keys for which what is chosen has no use stand there only if they do
/// not have their defaults: [time] says by being there that it describes the job.
[[nodiscard]] std::string to_toml(const Scenario& scenario);

/// A file that gives the same scenario, but for keys for which what is chosen has no use: these are comments.
/// Every key has its meaning and where its value comes from behind it.
[[nodiscard]] std::string explain_scenario(const LoadedScenario& loaded);

/// A sentence for each key that somebody has set though what is chosen has no use for it. That is no error: a
/// file describes servers, and --set tries a ring.
[[nodiscard]] std::vector<std::string> unused_keys(const LoadedScenario& loaded);

}  // namespace trireme::sim
