#include "train/replayed_schedule.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "plan/mode.h"

namespace trireme::train {
namespace {

template <typename Value>
void take(const char* key, const Value& of_schedule, Value& value, LoadedTrainConfig& loaded) {
  const auto source = loaded.sources.find(key);
  if (source != loaded.sources.end() && value != of_schedule) {
    throw bad_input(fmt::format("{} is {} ({}), and the schedule to be replayed has {}", key, value,
                                source->second, of_schedule),
                    "leave it out, or replay another schedule");
  }
  value = of_schedule;
  loaded.sources[key] = "--replay";
}

}  // namespace

schedule::Schedule read_schedule_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    throw bad_input(fmt::format("cannot read {}: it is a folder", printable(path)),
                    "give a file: the schedule.jsonl of a run");
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    throw bad_input(fmt::format("cannot read {}: {}", printable(path), std::strerror(errno)),
                    "give the schedule.jsonl of a run, or one of trireme simulate --schedule");
  }
  return schedule::read_schedule(text, printable(path));
}

void take_schedule(LoadedTrainConfig& loaded) {
  TrainConfig& config = loaded.config;
  if (config.run.replay.empty()) return;
  const schedule::Schedule schedule = read_schedule_file(config.run.replay);
  take("exchange.workers", schedule.workers, config.exchange.workers, loaded);
  take("exchange.servers", schedule.servers, config.exchange.servers, loaded);
  std::string mode = to_string(config.exchange.mode);
  take("exchange.mode", schedule.mode, mode, loaded);
  config.exchange.mode = plan::parse_mode(mode, "--replay");
  std::string strategy = config.exchange.strategy;
  take("exchange.strategy", std::string("parameter-server"), strategy, loaded);
  config.exchange.strategy = strategy;
  if (!loaded.sources.contains("exchange.staleness_rate")) {
    config.exchange.staleness_rate = schedule.staleness_rate;
  }
}

}  // namespace trireme::train
