#include "train/load_train_config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "train/train_keys.h"

namespace trireme::train {
namespace {

void require_matches(const LoadedTrainConfig& loaded) {
  for (std::size_t i = 0; i < loaded.config.groups.size(); ++i) {
    if (!loaded.config.groups[i].match.empty()) continue;
    const auto table = loaded.sources.find(config::in_table("optimizer.group", i + 1));
    throw bad_input(fmt::format("{}: this [[optimizer.group]] has no match", table->second),
                    "give it a pattern of names: match = \"*.bias\"");
  }
}

LoadedTrainConfig resolve(const std::vector<config::Setting>& settings) {
  LoadedTrainConfig chosen;  // to see which kind of rule
  train_keys().read(settings, chosen.config, chosen.sources);
  LoadedTrainConfig loaded;
  loaded.config.optimizer = usual_rule(chosen.config.optimizer.kind);
  loaded.config.exchange.servers = chosen.config.exchange.strategy == "parameter-server" ? 1 : 0;
  const DataKind data = chosen.config.data.kind;
  if (data == DataKind::kCsv || data == DataKind::kNpy) loaded.config.data.classes = 0;
  train_keys().read(settings, loaded.config, loaded.sources);
  require_matches(loaded);
  check(loaded.config);
  return loaded;
}

}  // namespace

LoadedTrainConfig load_train_config(const TrainInputs& inputs) {
  std::vector<config::Setting> settings;
  if (inputs.saved) settings = config::read_toml(inputs.saved->text, inputs.saved->name);
  settings.insert(settings.end(), inputs.environment.begin(), inputs.environment.end());
  if (inputs.file) {
    const std::vector<config::Setting> file = config::read_toml_file(*inputs.file);
    settings.insert(settings.end(), file.begin(), file.end());
  }
  for (const std::string& set : inputs.sets) settings.push_back(config::read_assignment(set));
  settings.insert(settings.end(), inputs.flags.begin(), inputs.flags.end());
  return resolve(settings);
}

TrainConfig read_train_config(std::string_view text, const std::string& name) {
  return resolve(config::read_toml(text, name)).config;
}

std::string to_toml(const TrainConfig& config) { return config::plain_toml(train_keys().lines(config, {})); }

std::string to_repeat(const TrainConfig& config) {
  std::vector<config::KeyLine> lines = train_keys().lines(config, {});
  std::erase_if(lines, [](const config::KeyLine& line) {
    return !line.used || line.name == "run.out" || line.name == "run.save" || line.name == "run.replay";
  });
  return config::plain_toml(lines);
}

std::string explain_config(const LoadedTrainConfig& loaded) {
  return config::explained_toml(train_keys().lines(loaded.config, loaded.sources));
}

std::vector<std::string> unused_keys(const LoadedTrainConfig& loaded) {
  return config::say_unused(train_keys().lines(loaded.config, loaded.sources));
}

}  // namespace trireme::train
