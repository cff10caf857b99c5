#include "train/replayed_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

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

// Of the first step at least one gradient is applied.
void require_beginning(const schedule::Schedule& schedule, const std::string& path) {
  const auto first = std::ranges::min_element(schedule.writes, {}, &schedule::Write::gradient);
  if (first == schedule.writes.end() || first->gradient < schedule.workers) return;
  throw bad_input(
      fmt::format("{} begins with gradient {} of {}: it does not say how the weights before that "
                  "came about",
                  printable(path), first->gradient, counted(schedule.workers, "worker")),
      "replay a run that was in this mode, with these workers and servers, from its first step on");
}

}  // namespace

schedule::Schedule read_schedule_file(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw bad_input(fmt::format("cannot read {}: {}", printable(path), why),
                    "give the schedule.jsonl of a run, or one of trireme simulate --schedule");
  };
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) refuse("it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return schedule::read_schedule(text, printable(path));
}

void take_schedule(LoadedTrainConfig& loaded) {
  TrainConfig& config = loaded.config;
  if (config.run.replay.empty()) return;
  const schedule::Schedule schedule = read_schedule_file(config.run.replay);
  require_beginning(schedule, config.run.replay);
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
