#include "train/load_train_config.h"

#include "train/train_keys.h"

namespace trireme::train {
namespace {

LoadedTrainConfig resolve(const std::vector<config::Setting>& settings) {
  LoadedTrainConfig chosen;  // to see which kind of rule
  train_keys().read(settings, chosen.config, chosen.sources);
  LoadedTrainConfig loaded;
  loaded.config.optimizer = usual_rule(chosen.config.optimizer.kind);
  loaded.config.exchange.servers = chosen.config.exchange.strategy == "parameter-server" ? 1 : 0;
  train_keys().read(settings, loaded.config, loaded.sources);
  check(loaded.config);
  return loaded;
}

}  // namespace

LoadedTrainConfig load_train_config(const TrainInputs& inputs) {
  std::vector<config::Setting> settings = inputs.environment;
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
  std::erase_if(lines, [](const config::KeyLine& line) { return !line.used || line.name == "run.out"; });
  return config::plain_toml(lines);
}

std::string explain_config(const LoadedTrainConfig& loaded) {
  return config::explained_toml(train_keys().lines(loaded.config, loaded.sources));
}

std::vector<std::string> unused_keys(const LoadedTrainConfig& loaded) {
  return config::say_unused(train_keys().lines(loaded.config, loaded.sources));
}

}  // namespace trireme::train
