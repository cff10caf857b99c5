// The inputs shared by all commands about a described cluster: the file, changes to it, and the form of the
// output.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "sim/scenario/load_scenario.h"

namespace trireme::cli {

/// A key that has its own flag.
struct ScenarioKeyFlag {
  const char* flag;
  const char* key;
  const char* type;
  const char* help;
  bool is_needed;  ///< if there is no file
};
inline constexpr std::array kScenarioKeyFlags = {
    ScenarioKeyFlag{"--workers", "job.workers", "NUMBER", "number of workers", true},
    ScenarioKeyFlag{"--strategy", "job.strategy", "STRATEGY",
                    "strategy of the exchange; trireme explain --help lists them", false},
    ScenarioKeyFlag{"--parameters", "model.parameters", "NUMBER", "number of parameters, such as 11e6", true},
    ScenarioKeyFlag{"--bandwidth", "network.bandwidth", "RATE",
                    "bandwidth of each network card in each direction, such as '1 Gbit/s'", true},
    ScenarioKeyFlag{"--latency", "network.latency", "TIME", "latency of a message, such as '100 us'", true},
    ScenarioKeyFlag{"--per-batch", "compute.per_batch", "TIME", "time to compute one batch, such as '120 ms'",
                    true},
    ScenarioKeyFlag{"--batch", "job.batch", "NUMBER", "samples per worker and step", false},
};

struct ScenarioFlags {
  std::string file;
  std::vector<std::string> sets;
  std::array<std::string, kScenarioKeyFlags.size()> of_keys;
  bool json = false;
  bool print_config = false;

  /// FILE, --set and the flags of keys.
  void add_input(CLI::App& command);
  /// --json and --print-config.
  void add_output(CLI::App& command);

  /// Throws `Error` (bad input) if there is no file and a flag that is then needed is missing. Without a file
  /// and without another end, the job has one round.
  [[nodiscard]] sim::ScenarioInputs inputs(const CLI::App& command) const;
};

/// `sim::load_scenario`, which also recognizes a file that describes a training.
[[nodiscard]] sim::LoadedScenario load(const sim::ScenarioInputs& inputs);

/// A file that a command reads or writes, and its name on the command line.
struct NamedFile {
  std::string name;
  std::string path;  ///< empty: not given
};

/// Throws `Error` (bad input) if two of them are the same file, under any names; devices and pipes are
/// allowed.
void refuse_one_file_twice(const std::vector<NamedFile>& files);

/// Reports on standard error which keys of a description are unused, and what the user may have forgotten.
void tell_notes(const char* command, const sim::LoadedScenario& loaded);

/// Reports on standard error that this file has been written: "trireme predict: wrote workers.svg".
void say_written(const char* command, const std::string& file);

}  // namespace trireme::cli
