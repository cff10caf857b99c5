#include "cli/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "config/toml.h"
#include "sim/scenario/scenario_keys.h"
#include "train/train_keys.h"

namespace trireme::cli {
namespace {

// How many of the file's keys are among these.
std::ptrdiff_t known(const std::vector<config::Setting>& file, std::span<const std::string_view> names) {
  return std::count_if(file.begin(), file.end(), [&](const config::Setting& setting) {
    return std::find(names.begin(), names.end(), setting.key) != names.end();
  });
}

void refuse_other(const std::string& file, std::span<const std::string_view> wanted,
                  std::span<const std::string_view> other, std::string_view what, std::string_view commands) {
  if (!std::filesystem::is_regular_file(file)) return;  // a pipe has been read
  const std::vector<config::Setting> settings = config::read_toml_file(file);
  if (known(settings, other) <= known(settings, wanted)) return;
  throw bad_input(fmt::format("{} describes {}", printable(file), what),
                  fmt::format("did you mean {} {}?", commands, printable(file)));
}

}  // namespace

void refuse_scenario(const std::string& file) {
  refuse_other(file, train::train_keys().names(), sim::scenario_keys().names(),
               "a job and a cluster, not a training", "trireme predict or simulate");
}

void refuse_training(const std::string& file) {
  refuse_other(file, sim::scenario_keys().names(), train::train_keys().names(),
               "a training, not a job and a cluster", "trireme train");
}

}  // namespace trireme::cli
