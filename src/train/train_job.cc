#include "train/train_job.h"

#include <fmt/format.h>

#include "data/idx_folder.h"
#include "data/shard.h"
#include "data/synthetic.h"
#include "train/model_rules.h"
#include "train/model_shape.h"
#include "train/start.h"

namespace trireme::train {
namespace {

// About a second's worth, and more.
void say_if_long(const data::SyntheticSpec& spec) {
  constexpr double kMany = 5e7;
  double values = static_cast<double>(spec.train) + static_cast<double>(spec.test);
  for (const std::int64_t dimension : spec.shape) values *= static_cast<double>(dimension);
  constexpr double kRefused = 5e9;  // with a reason, at once
  if (values >= kMany && values < kRefused) {
    say_of_train(fmt::format("making {:.0f} MB of synthetic data, which takes a while", values / 1e6));
  }
}

data::Split read_or_make(const TrainConfig& config) {
  const TrainConfig::Data& data = config.data;
  if (data.kind == DataKind::kIdx) return data::load_idx_folder(data.path, data.classes);
  const data::SyntheticSpec spec = {
      .kind = data.pattern,
      .train = data.train_samples,
      .test = data.test_samples,
      .shape = data.shape.empty() ? data::usual_shape(data.pattern) : data.shape,
      .classes = data.classes,
      .seed = config.train.seed};
  say_if_long(spec);
  return data::make_synthetic(spec);
}

void settle(TrainConfig& config, const data::Dataset& train) {
  require_fit(config.model, train.shape);
  static_cast<void>(rules_of(config, tensors_of(config.model, train.shape, train.classes)));  // may throw
  const std::int64_t steps = steps_of(config, order_of(config, train, 0));
  optim::ScheduleSpec& schedule = config.schedule;
  if (schedule.kind == optim::ScheduleKind::kCosine && schedule.total_steps == 0)
    schedule.total_steps = steps;
  optim::check(schedule);
}

}  // namespace

data::Split load_data(TrainConfig& config) {
  data::Split split = read_or_make(config);
  settle(config, split.train);
  return split;
}

void look_at_data(const TrainConfig& config) {
  if (config.data.kind != DataKind::kIdx) return;
  TrainConfig copy = config;
  settle(copy, data::look_at_idx_folder(config.data.path, config.data.classes).train);
}

data::ShardedOrder order_of(const TrainConfig& config, const data::Dataset& train, Rank worker) {
  return data::ShardedOrder({.samples = train.samples,
                             .workers = config.exchange.workers,
                             .rank = worker,
                             .batch = config.data.batch,
                             .seed = config.train.seed});
}

std::int64_t steps_of(const TrainConfig& config, const data::ShardedOrder& order) {
  return config.train.steps > 0 ? config.train.steps : config.train.epochs * order.batches_per_epoch();
}

}  // namespace trireme::train
