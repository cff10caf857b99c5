#include "config/train_keys.h"

#include <span>

#include "config/key_types.h"
#include "plan/plan.h"

namespace trireme {
namespace {

using Config = TrainConfig;
using Model = Config::Model;
using Data = Config::Data;
using Train = Config::Train;
using Exchange = Config::Exchange;
using Run = Config::Run;
using Keys = std::vector<Key<Config>>;

constexpr std::int64_t kMostSamples = std::int64_t{1} << 32;
constexpr std::int64_t kMostSteps = 1'000'000'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

// The values of an enumeration by the names that its own module gives them.
template <typename Kind, typename Name>
OneOf<Kind> one_of(std::span<const Kind> kinds, const Name& name) {
  OneOf<Kind> choice;
  for (const Kind kind : kinds) {
    choice.words.push_back(name(kind));
    choice.values.push_back(kind);
  }
  return choice;
}

OneOf<std::string> one_word_of(const std::vector<std::string_view>& words) {
  return {words, {words.begin(), words.end()}};
}

OneOf<SyntheticKind> pattern() {
  static constexpr SyntheticKind kKinds[] = {SyntheticKind::kBlobs, SyntheticKind::kLinear,
                                             SyntheticKind::kStripes};
  return one_of(std::span<const SyntheticKind>(kKinds), [](SyntheticKind kind) { return to_string(kind); });
}

OneOf<std::string> strategy() {
  std::vector<std::string_view> words = {"auto", "none"};
  for (const Strategy one : all_strategies()) words.push_back(name(one));
  return one_word_of(words);
}

bool is_mlp(const Config& config) { return config.model.kind == ModelKind::kMlp; }
bool is_idx(const Config& config) { return config.data.kind == DataKind::kIdx; }
bool is_synthetic(const Config& config) { return config.data.kind == DataKind::kSynthetic; }
bool is_step(const Config& config) { return config.schedule.kind == ScheduleKind::kStep; }
bool is_cosine(const Config& config) { return config.schedule.kind == ScheduleKind::kCosine; }
bool has_servers(const Config& config) { return config.exchange.strategy == "parameter-server"; }

bool has_momentum(const Config& config) {
  return config.optimizer.kind == RuleKind::kMomentum || config.optimizer.kind == RuleKind::kNesterov;
}

bool is_adam(const Config& config) {
  return config.optimizer.kind == RuleKind::kAdam || config.optimizer.kind == RuleKind::kAdamW;
}

Keys model_keys() {
  const OneOf<ModelKind> kind{{"linear", "mlp", "cnn"},
                              {ModelKind::kLinear, ModelKind::kMlp, ModelKind::kCnn}};
  return {
      key("model.kind", "linear, mlp or cnn", kind, &Config::model, &Model::kind),
      key("model.hidden", "how wide each hidden layer is", WholeNumbers{1, 64, {1, 1 << 20}}, &Config::model,
          &Model::hidden)
          .only_of("mlp", is_mlp),
  };
}

Keys data_keys() {
  const OneOf<DataKind> kind{{"idx", "synthetic"}, {DataKind::kIdx, DataKind::kSynthetic}};
  const WholeNumber samples{1, kMostSamples};
  return {
      key("data.kind", "idx (the files of MNIST) or synthetic", kind, &Config::data, &Data::kind),
      key("data.path", "the folder of the files", Text{false}, &Config::data, &Data::path)
          .only_of("idx", is_idx),
      key("data.batch", "samples of each worker in a step", samples, &Config::data, &Data::batch),
      key("data.classes", "how many labels there are", WholeNumber{2, 1000}, &Config::data, &Data::classes),
      key("data.pattern", "blobs, linear or stripes", pattern(), &Config::data, &Data::pattern)
          .only_of("synthetic", is_synthetic),
      key("data.train_samples", "how many to train on", samples, &Config::data, &Data::train_samples)
          .only_of("synthetic", is_synthetic),
      key("data.test_samples", "how many to test with", samples, &Config::data, &Data::test_samples)
          .only_of("synthetic", is_synthetic),
      key("data.shape", "of one sample; []: as usual for the pattern", WholeNumbers{0, 4, {1, 1 << 22}},
          &Config::data, &Data::shape)
          .only_of("synthetic", is_synthetic),
  };
}

Keys train_keys_of_section() {
  const WholeNumber steps{0, kMostSteps};
  return {
      key("train.epochs", "how often all samples are seen", WholeNumber{1, kMostSteps}, &Config::train,
          &Train::epochs),
      key("train.steps", "the end after so many steps; 0: after the epochs", steps, &Config::train,
          &Train::steps),
      key("train.seed", "of the weights, the order of samples and synthetic data", WholeNumber{},
          &Config::train, &Train::seed),
      key("train.eval_every", "epochs between tests; 0: only at the end", steps, &Config::train,
          &Train::eval_every),
      key("train.threads", "of each worker; 0: its share of the cores", WholeNumber{0, 4096}, &Config::train,
          &Train::threads),
      key("train.log_every", "steps between two lines of the log", WholeNumber{1, kMostSteps}, &Config::train,
          &Train::log_every),
  };
}

Keys optimizer_keys() {
  const Number fraction{0, 1};
  return {
      key("optimizer.kind", "sgd, momentum, nesterov, adam or adamw",
          one_of(all_rule_kinds(), [](RuleKind kind) { return name(kind); }), &Config::optimizer,
          &RuleSpec::kind),
      key("optimizer.rate", "the learning rate that the schedule starts from", Number{}, &Config::optimizer,
          &RuleSpec::rate),
      key("optimizer.weight_decay", "how strongly weights are drawn to 0", Number{}, &Config::optimizer,
          &RuleSpec::weight_decay),
      key("optimizer.clip_norm", "gradients are scaled to at most this norm; 0: not at all", Number{},
          &Config::clip_norm),
      key("optimizer.momentum", "how much of the last update remains", fraction, &Config::optimizer,
          &RuleSpec::momentum)
          .only_of("momentum and nesterov", has_momentum),
      key("optimizer.beta1", "how much of the mean of gradients remains", fraction, &Config::optimizer,
          &RuleSpec::beta1)
          .only_of("adam and adamw", is_adam),
      key("optimizer.beta2", "how much of the mean of their squares remains", fraction, &Config::optimizer,
          &RuleSpec::beta2)
          .only_of("adam and adamw", is_adam),
      key("optimizer.epsilon", "added to the root that is divided by", Number{}, &Config::optimizer,
          &RuleSpec::epsilon)
          .only_of("adam and adamw", is_adam),
  };
}

Keys schedule_keys() {
  const WholeNumber steps{0, kMostSteps};
  return {
      key("schedule.kind", "constant, step or cosine",
          one_of(all_schedule_kinds(), [](ScheduleKind kind) { return name(kind); }), &Config::schedule,
          &ScheduleSpec::kind),
      key("schedule.warmup_steps", "steps in which the rate grows to its full value", steps,
          &Config::schedule, &ScheduleSpec::warmup_steps),
      key("schedule.every_steps", "steps after which the rate shrinks", steps, &Config::schedule,
          &ScheduleSpec::every_steps)
          .only_of("step", is_step),
      key("schedule.gamma", "by what it is multiplied then", Number{}, &Config::schedule,
          &ScheduleSpec::gamma)
          .only_of("step", is_step),
      key("schedule.total_steps", "steps until the final rate; 0: to the end of the job", steps,
          &Config::schedule, &ScheduleSpec::total_steps)
          .only_of("cosine", is_cosine),
      key("schedule.final_rate", "the rate at the end", Number{}, &Config::schedule,
          &ScheduleSpec::final_rate)
          .only_of("cosine", is_cosine),
  };
}

Keys exchange_keys() {
  return {
      key("exchange.strategy", "a strategy of trireme explain, auto, or none for benchmarks", strategy(),
          &Config::exchange, &Exchange::strategy),
      key("exchange.wire", "auto, threads, shm, tcp or mpi",
          one_word_of({"auto", "threads", "shm", "tcp", "mpi"}), &Config::exchange, &Exchange::wire),
      key("exchange.workers", "how many; a launcher says it itself", WholeNumber{1, PlanSpec::kMaxNodes},
          &Config::exchange, &Exchange::workers),
      key("exchange.servers", "besides the workers; 0: a share on each worker",
          WholeNumber{0, PlanSpec::kMaxNodes}, &Config::exchange, &Exchange::servers)
          .only_of("parameter-server", has_servers),
      key("exchange.bucket_bytes", "how much of the gradients travels together", WholeNumber{1, kMostBytes},
          &Config::exchange, &Exchange::bucket_bytes),
      key("exchange.drive", "exchange by a thread, in hooks, or after backward; measure: try all",
          one_word_of({"measure", "after", "hooks", "thread"}), &Config::exchange, &Exchange::drive),
      key("exchange.timeout", "deadline of one exchange", Duration{}, &Config::exchange, &Exchange::timeout),
  };
}

Keys run_keys() {
  return {key("run.out", "a folder for results and logs; empty: none are written", Text{}, &Config::run,
              &Run::out)};
}

Keys all_keys() {
  Keys all;
  for (const Keys& section : {model_keys(), data_keys(), train_keys_of_section(), optimizer_keys(),
                              schedule_keys(), exchange_keys(), run_keys()}) {
    all.insert(all.end(), section.begin(), section.end());
  }
  return all;
}

}  // namespace

const KeyTable<TrainConfig>& train_keys() {
  static const KeyTable<TrainConfig> table(all_keys());
  return table;
}

}  // namespace trireme
