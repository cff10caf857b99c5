#include "train/train_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/names.h"
#include "data/array_files.h"
#include "data/csv_file.h"
#include "data/hold_back.h"
#include "data/idx_folder.h"
#include "data/shard.h"
#include "data/synthetic.h"
#include "rounds/parameter_groups.h"
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

data::Split make(const TrainConfig& config) {
  const TrainConfig::Data& data = config.data;
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

// Reading a csv file takes some ten seconds for each GB.
void say_if_long(const std::string& path) {
  constexpr std::uintmax_t kMany = 100'000'000;
  std::error_code unknown;  // reading the file will report the reason
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (unknown || size < kMany) return;
  say_of_train(fmt::format("reading {} of {} into a temporary file, which takes a while",
                           bytes_in_words(static_cast<std::int64_t>(size)), path));
}

void require_path(const std::string& path, const char* key, const char* what) {
  if (!path.empty() && path != data::kFashionMnistFolder) return;
  throw bad_input(fmt::format("{} does not say which file holds the {}", key, what),
                  fmt::format("give it: --set {}=FILE", key));
}

data::LabelKind label_kind(const TrainConfig& config) {
  if (config.train.loss == Loss::kMse) return {.is_number = true};
  return {.classes = config.data.classes};
}

data::CsvSpec csv_of(const TrainConfig& config) {
  const TrainConfig::Data& data = config.data;
  require_path(data.path, "data.path", "samples");
  return {.path = data.path,
          .test_path = data.test_path,
          .label = data.label,
          .header = data.header,
          .labels = label_kind(config)};
}

data::Split load_npy(const TrainConfig& config) {
  const TrainConfig::Data& data = config.data;
  require_path(data.path, "data.path", "samples");
  require_path(data.labels, "data.labels", "labels");
  return data::load_npy({data.path, data.labels, data.test_path, data.test_labels}, label_kind(config));
}

data::Split read_or_make(const TrainConfig& config) {
  switch (config.data.kind) {
    case DataKind::kIdx:
      return data::load_idx_folder(config.data.path, label_kind(config));
    case DataKind::kCsv:
      say_if_long(config.data.path);
      return data::load_csv(csv_of(config));
    case DataKind::kNpy:
      return load_npy(config);
    case DataKind::kSynthetic:
      break;
  }
  data::Split split = make(config);
  if (config.train.loss == Loss::kMse) split.train.classes = split.test.classes = 0;
  return split;
}

void hold_back(data::Split& split, const TrainConfig& config) {
  if (split.test.samples == 0) data::hold_back_test(split, config.data.test_share, config.train.seed);
}

void settle(TrainConfig& config, const data::Dataset& train, const checkpoint::State* from) {
  require_fit(config.model, train.shape);
  static_cast<void>(rules_of(config, tensors_of(config.model, train.shape, train.outputs())));  // may throw
  const std::int64_t steps = steps_of(config, order_of(config, train, 0), from);
  optim::ScheduleSpec& schedule = config.schedule;
  if (schedule.kind == optim::ScheduleKind::kCosine && schedule.total_steps == 0)
    schedule.total_steps = steps;
  optim::check(schedule);
}

}  // namespace

std::optional<data::Normalization> normalization_in(const checkpoint::Saved& saved) {
  const std::string name = checkpoint::own_file("program");
  if (!saved.has(name)) return std::nullopt;
  const checkpoint::SafetensorsFile file = saved.open_file(name);
  data::NamedNumbers numbers;
  std::size_t features = 1;
  for (const auto& [key, unused] : data::named_numbers({})) {
    const checkpoint::StoredTensor* stored = file.find(kNormalization + key);
    if (stored == nullptr || stored->info.type != checkpoint::TensorType::kF64) return std::nullopt;
    std::vector<double>& values = numbers[key];
    values.resize(stored->bytes / sizeof(double));
    file.read(*stored, 0, std::as_writable_bytes(std::span(values)));
    features = std::max(features, values.size());
  }
  return data::normalization_of(numbers, static_cast<std::int64_t>(features));
}

data::Split load_data(TrainConfig& config, const std::optional<data::Normalization>& kept,
                      const checkpoint::State* from) {
  data::Split split = read_or_make(config);
  hold_back(split, config);
  settle(config, split.train, from);
  data::settle_normalization(split, config.data.normalize, kept, config.data.path, config.data.test_path);
  return split;
}

void look_at_data(const TrainConfig& config) {
  if (config.data.kind == DataKind::kSynthetic) return;
  if (config.data.kind == DataKind::kCsv) return data::look_at_csv(csv_of(config));
  TrainConfig copy = config;
  data::Split split = config.data.kind == DataKind::kNpy
                          ? load_npy(config)
                          : data::look_at_idx_folder(config.data.path, label_kind(config));
  hold_back(split, config);
  settle(copy, split.train, nullptr);
}

data::ShardedOrder order_of(const TrainConfig& config, const data::Dataset& train, Rank worker) {
  return data::ShardedOrder({.samples = train.samples,
                             .workers = config.exchange.workers,
                             .rank = worker,
                             .batch = config.data.batch,
                             .seed = config.train.seed});
}

std::int64_t ahead_of_steps(const checkpoint::State& from, const data::ShardedOrder& order) {
  const std::int64_t batches = order.batches_per_epoch();
  const std::int64_t in_epoch = std::min(from.position / order.global_batch_size(0), batches);
  return from.epoch * batches + in_epoch - from.step;
}

std::int64_t steps_of(const TrainConfig& config, const data::ShardedOrder& order,
                      const checkpoint::State* from) {
  const std::int64_t done = from == nullptr ? 0 : from->step;
  if (config.train.steps > 0) return std::max(config.train.steps, done);
  const std::int64_t ahead = from == nullptr ? 0 : ahead_of_steps(*from, order);
  return std::max(config.train.epochs * order.batches_per_epoch() - ahead, done);
}

void require_same_model(const TrainConfig& config, const data::Dataset& train,
                        const checkpoint::SafetensorsFile& weights) {
  std::vector<checkpoint::TensorInfo> wanted;
  for (const ModelTensor& tensor : tensors_of(config.model, train.shape, train.outputs())) {
    checkpoint::TensorInfo& info = wanted.emplace_back();
    info.name = tensor.name;
    for (const std::int64_t size : tensor.sizes) info.shape.push_back(idx(size));
  }
  const std::string difference = checkpoint::first_difference(wanted, weights.tensors());
  if (difference.empty()) return;
  throw bad_input(fmt::format("{} is of another model: {}", printable(weights.path().string()), difference),
                  "give the model and data with which it was saved, or leave it out");
}

std::filesystem::path run_of(const checkpoint::Saved& saved) {
  const std::filesystem::path all = saved.folder().parent_path();
  return all.filename() == checkpoint::kFolder ? all.parent_path() : std::filesystem::path();
}

std::optional<std::int64_t> step_to_go_on_from(const TrainJob& job) {
  if (!job.from || job.config.run.out.empty()) return std::nullopt;
  std::error_code none;
  const bool is_same = std::filesystem::equivalent(
      checkpoint::step_folder(job.config.run.out, job.from->step()), job.from->folder(), none);
  return is_same ? std::optional(job.from->step()) : std::nullopt;
}

std::string newest_checkpoint(const TrainConfig& config) {
  if (config.run.out.empty()) return "";
  for (const checkpoint::Listed& one : checkpoint::list_checkpoints(config.run.out)) {
    if (one.is_complete()) return one.folder.string();
  }
  return "";
}

std::string how_to_go_on(const TrainConfig& config) {
  if (config.run.out.empty()) return "";
  const std::string newest = newest_checkpoint(config);
  if (newest.empty()) return fmt::format("{} has no checkpoint", printable(config.run.out));
  return fmt::format("the newest checkpoint is {}; go on from there: trireme train --resume {}",
                     printable(newest), printable(config.run.out));
}

std::vector<std::string> say_changes(const TrainConfig& config, const data::ShardedOrder& order,
                                     const checkpoint::State& from) {
  std::vector<std::string> sentences;
  const auto say = [&](const std::string& what, const auto& before, const auto& now, const std::string& so) {
    if (before != now) sentences.push_back(fmt::format("{} was {} and is {} now: {}", what, before, now, so));
  };
  const std::int64_t samples = order.global_batch_size(0);
  const TrainConfig::Exchange& exchange = config.exchange;
  const auto batch = from.numbers.find("batch");
  const std::int64_t samples_before =
      from.workers *
      (batch == from.numbers.end() ? config.data.batch : static_cast<std::int64_t>(batch->second));
  say("the number of workers", from.workers, std::int64_t{exchange.workers},
      "sums are added up in another order, and the last bits may differ");
  say("a step", counted(samples_before, "sample"), counted(samples, "sample"),
      "the same rate moves the weights another way through an epoch");
  if (const std::int64_t again = from.position % samples; samples != samples_before && again != 0) {
    sentences.push_back(fmt::format("{} of this epoch are seen again, because steps begin at multiples of {}",
                                    counted(again, "sample"), with_commas(samples)));
  }
  say("the number of servers", from.servers, std::int64_t{exchange.servers},
      "they take over the state of the weights that they hold now");
  say("the strategy", from.strategy, exchange.strategy,
      "if it adds in another order, the last bits may differ");
  say("the seed", from.seed, config.train.seed, "later epochs have another order");
  const std::string rule = rounds::rule_in_words(config.optimizer);
  const auto kind_in = [](const std::string& words) { return words.substr(0, words.find(' ')); };
  say("the update rule", from.rule, rule,
      kind_in(from.rule) == kind_in(rule) ? "its state goes on"
                                          : "state that the new one does not have begins anew");
  return sentences;
}

}  // namespace trireme::train
