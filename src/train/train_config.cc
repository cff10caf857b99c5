#include "train/train_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "optim/reach.h"
#include "plan/strategies/strategies.h"

namespace trireme::train {
namespace {

void check_servers(const TrainConfig::Exchange& exchange) {
  if (exchange.servers == 0 || exchange.strategy == "parameter-server") return;
  throw bad_input(fmt::format("exchange.servers is {}, and exchange.strategy is {}", exchange.servers,
                              printable(exchange.strategy)),
                  "servers are for parameter-server: choose it, or leave them out");
}

void check_mode(const TrainConfig::Exchange& exchange) {
  if (exchange.mode == plan::Mode{}) return;
  const std::string is = fmt::format("exchange.mode is {}", to_string(exchange.mode));
  if (exchange.strategy != "parameter-server") {
    throw bad_input(fmt::format("{}, and exchange.strategy is {}", is, printable(exchange.strategy)),
                    "choose parameter-server, with which workers need not wait for all others, or sync");
  }
}

// Replaces a total of 0 by the end of the job, as far as it is known.
optim::ScheduleSpec with_total(const TrainConfig& config) {
  optim::ScheduleSpec schedule = config.schedule;
  if (schedule.kind != optim::ScheduleKind::kCosine || schedule.total_steps != 0) return schedule;
  schedule.total_steps =
      config.train.steps != 0 ? config.train.steps : std::numeric_limits<std::int64_t>::max();
  return schedule;
}

void check_data(const TrainConfig::Data& data) {
  if (data.classes == 1) throw bad_input("data.classes is 1", "give 2 or more, or 0: as the labels say");
  if (data.kind == DataKind::kNpy && data.test_path.empty() != data.test_labels.empty()) {
    throw bad_input(data.test_path.empty() ? "data.test_labels is given, and data.test_path is not"
                                           : "data.test_path is given, and data.test_labels is not",
                    "give both, or neither: then some of the samples are held back for the test");
  }
}

// What differs from the rest of the model is all that a group may leave out.
void check_group(const TrainConfig::Group& group, const RuleSpec& optimizer) {
  if (optimizer.rate != 0 || (!group.rate && !group.rule)) return;
  throw bad_input(
      fmt::format("the group \"{}\" has a rate of its own, and optimizer.rate is 0", printable(group.match)),
      "give optimizer.rate, of which the schedule makes the rate of all groups in each step");
}

bool needs_whole_tensors(const RuleSpec& rule) {
  constexpr optim::TensorShape kMatrix{.rows = 2, .columns = 2, .is_matrix = true};
  return optim::reach(rule, kMatrix) != optim::Reach::kElement ||
         optim::reach(rule, optim::vector_of(2)) != optim::Reach::kElement;
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

RuleSpec usual_rule(std::string_view name) {
  const RuleSpec named = parse_rule(name);
  RuleSpec rule = usual_rule(named.kind);
  rule.p = named.p;
  return rule;
}

std::vector<ParameterGroup> groups_of(const TrainConfig& config) {
  std::vector<ParameterGroup> groups;
  for (const TrainConfig::Group& group : config.groups) {
    ParameterGroup one{.match = group.match, .rule = group.rule, .weight_decay = group.weight_decay};
    if (group.rule) one.rate_factor = group.rule->rate / config.optimizer.rate;
    if (group.rate) one.rate_factor = *group.rate / config.optimizer.rate;
    groups.push_back(std::move(one));
  }
  return groups;
}

bool needs_whole_tensors(const TrainConfig& config) {
  return needs_whole_tensors(config.optimizer) ||
         std::ranges::any_of(config.groups, [](const TrainConfig::Group& group) {
           return group.rule && needs_whole_tensors(*group.rule);
         });
}

void check(const TrainConfig& config) {
  check_servers(config.exchange);
  check_mode(config.exchange);
  check_data(config.data);
  check_section("optimizer", config.optimizer);
  for (const TrainConfig::Group& group : config.groups) check_group(group, config.optimizer);
  check_section("schedule", with_total(config));
}

void check_nodes(const TrainConfig& config) {
  const TrainConfig::Exchange& exchange = config.exchange;
  for (const TrainConfig::Train::Slow& slow : config.train.slow) {
    if (slow.worker < exchange.workers) continue;
    throw bad_input(fmt::format("train.slow names worker {}, and there are {}", slow.worker,
                                counted(exchange.workers, "worker")),
                    fmt::format("workers are 0 to {}", exchange.workers - 1));
  }
  if (exchange.mode == plan::Mode{}) return;
  const std::string is = fmt::format("exchange.mode is {}", to_string(exchange.mode));
  if (exchange.servers == 0) {
    throw bad_input(
        fmt::format("{}, and exchange.servers is 0: such modes need dedicated servers, because a worker "
                    "that computes cannot answer",
                    is),
        "give --servers 1 or more");
  }
  if (exchange.mode.kind == plan::Mode::Kind::kBackup && exchange.mode.number >= exchange.workers) {
    throw bad_input(fmt::format("{}, and there are {}", is, counted(exchange.workers, "worker")),
                    "leave out fewer than there are");
  }
}

}  // namespace trireme::train
