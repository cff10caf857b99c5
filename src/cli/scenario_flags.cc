#include "cli/scenario_flags.h"

#include <fmt/format.h>

#include <string_view>

#include "base/output.h"

namespace trireme {
namespace {

// Which a forecast ranks, too.
bool is_for_another_strategy(std::string_view sentence) {
  return sentence.starts_with("server.") || sentence.starts_with("host.workers");
}

}  // namespace

void ScenarioFlags::add_input(CLI::App& command) {
  command.add_option("FILE", file, "the job and the cluster, a TOML file")->type_name("")->required();
  command.add_option("--set", sets, "any key of --print-config; as often as you like")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

void ScenarioFlags::add_output(CLI::App& command) {
  command.add_flag("--json", json, "print one JSON document")->disable_flag_override();
  command.add_flag("--print-config", print_config, "print the description with every key")
      ->disable_flag_override();
}

void tell_notes(const char* command, const LoadedScenario& loaded) {
  const auto tell = [&](const std::string& sentence) {
    write_error(fmt::format("trireme {}: {}\n", command, sentence));
  };
  const Scenario& scenario = loaded.scenario;
  const bool ranks = command == std::string_view("predict") && !scenario.time && !scenario.job.federated;
  for (const std::string& sentence : unused_keys(loaded)) {
    if (!is_for_another_strategy(sentence) || !ranks) tell(sentence);
  }
  const bool has_rate = scenario.network.bandwidth > 0 ||
                        (scenario.network.topology == Topology::kHosts && scenario.host.memory_bandwidth > 0);
  if (scenario.model.parameters > 0 && !has_rate) {
    tell("network.bandwidth is not given: messages take no time for their size");
  }
}

}  // namespace trireme
