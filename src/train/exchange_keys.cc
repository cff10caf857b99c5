#include "train/exchange_keys.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "config/key_types.h"
#include "plan/mode.h"
#include "plan/plan.h"
#include "plan/strategies/strategies.h"
#include "server/rate.h"

namespace trireme::train {
namespace {

using Config = TrainConfig;
using Exchange = Config::Exchange;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

config::OneOf<std::string> one_word_of(const std::vector<std::string_view>& words) {
  return {words, {words.begin(), words.end()}};
}

config::OneOf<wire::WireKind> wire() {
  config::OneOf<wire::WireKind> choice;
  for (const wire::WireKind kind : wire::all_wires()) {
    choice.words.push_back(wire::name(kind));
    choice.values.push_back(kind);
  }
  return choice;
}

config::OneOf<std::string> strategy() {
  std::vector<std::string_view> words = {"auto", "none"};
  for (const plan::Strategy one : plan::all_strategies()) words.push_back(plan::name(one));
  return one_word_of(words);
}

/// See `plan::parse_mode`.
struct ModeType {
  [[nodiscard]] plan::Mode read(const config::Setting& setting) const {
    const std::string hint = fmt::format("give {}", plan::kModesInWords);
    return plan::parse_mode(config::text_of(setting, "a string", hint), config::subject(setting));
  }
  [[nodiscard]] std::string print(const plan::Mode& mode) const {
    return config::toml_string(to_string(mode));
  }
};

bool has_servers(const Config& config) { return config.exchange.strategy == "parameter-server"; }
bool divides_rates(const Config& config) {
  const plan::Mode::Kind kind = config.exchange.mode.kind;
  return kind == plan::Mode::Kind::kAsync || kind == plan::Mode::Kind::kSsp;
}

}  // namespace

std::vector<config::Key<Config>> exchange_keys() {
  return {
      config::key("exchange.strategy",
                  "a strategy of trireme explain, or auto; none: no exchange, for benchmarks", strategy(),
                  &Config::exchange, &Exchange::strategy),
      config::key("exchange.wire", "auto, threads, shm, tcp or mpi", wire(), &Config::exchange,
                  &Exchange::wire),
      config::key("exchange.workers", "how many; a launcher says it itself",
                  config::WholeNumber{1, plan::PlanSpec::kMaxNodes}, &Config::exchange, &Exchange::workers),
      config::key("exchange.servers", "dedicated servers, besides the workers; 0: a share on each worker",
                  config::WholeNumber{0, plan::PlanSpec::kMaxNodes}, &Config::exchange, &Exchange::servers)
          .only_of("parameter-server", has_servers),
      config::key("exchange.mode", "sync, async, ssp:K or backup:B; all but sync with dedicated servers",
                  ModeType{}, &Config::exchange, &Exchange::mode)
          .only_of("parameter-server", has_servers),
      config::key("exchange.staleness_rate", "what divides the learning rate: workers, staleness or none",
                  one_word_of({std::begin(server::kStalenessRates), std::end(server::kStalenessRates)}),
                  &Config::exchange, &Exchange::staleness_rate)
          .only_of("async and ssp", divides_rates),
      config::key("exchange.bucket_bytes", "how much of the gradients travels together",
                  config::ByteSize{1, kMostBytes}, &Config::exchange, &Exchange::bucket_bytes),
      config::key("exchange.drive", "exchange by a thread, in hooks, or after backward; measure: try all",
                  one_word_of({"measure", "after", "hooks", "thread"}), &Config::exchange, &Exchange::drive),
      config::key("exchange.timeout", "deadline of one exchange", config::Duration{}, &Config::exchange,
                  &Exchange::timeout),
  };
}

}  // namespace trireme::train
