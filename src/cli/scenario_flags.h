// What every command takes that is about a described cluster: the file, changes to it, and how to answer.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "config/load_scenario.h"

namespace trireme {

struct ScenarioFlags {
  std::string file;
  std::vector<std::string> sets;
  bool json = false;
  bool print_config = false;

  /// FILE and --set.
  void add_input(CLI::App& command);
  /// --json and --print-config.
  void add_output(CLI::App& command);

  [[nodiscard]] ScenarioInputs inputs() const { return {.file = file, .sets = sets}; }
};

/// Says on standard error what in a description has no use, and what its reader may have forgotten.
void tell_notes(const char* command, const LoadedScenario& loaded);

}  // namespace trireme
