#include "train/train_config.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/strategies.h"

namespace trireme::train {
namespace {

void check_servers(const TrainConfig::Exchange& exchange) {
  if (exchange.servers == 0 || exchange.strategy == "parameter-server") return;
  throw bad_input(fmt::format("exchange.servers is {}, and exchange.strategy is {}", exchange.servers,
                              printable(exchange.strategy)),
                  "servers are for parameter-server: choose it, or leave them out");
}

// Replaces a total of 0 by the end of the job, as far as it is known.
optim::ScheduleSpec with_total(const TrainConfig& config) {
  optim::ScheduleSpec schedule = config.schedule;
  if (schedule.kind != optim::ScheduleKind::kCosine || schedule.total_steps != 0) return schedule;
  schedule.total_steps =
      config.train.steps != 0 ? config.train.steps : std::numeric_limits<std::int64_t>::max();
  return schedule;
}

// Other modules know nothing of sections.
template <typename Spec>
void check_section(const char* section, const Spec& spec) {
  try {
    check(spec);
  } catch (const Error& error) {
    throw bad_input(fmt::format("[{}]: {}", section, error.failure().what), error.failure().hint);
  }
}

}  // namespace

RuleSpec usual_rule(RuleKind kind) {
  const RuleSpec of_jobs = TrainConfig().optimizer;
  return kind == of_jobs.kind ? of_jobs : default_rule(kind);
}

void check(const TrainConfig& config) {
  check_servers(config.exchange);
  check_section("optimizer", config.optimizer);
  check_section("schedule", with_total(config));
}

}  // namespace trireme::train
