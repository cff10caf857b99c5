#include "train/train_keys.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "config/key_types.h"
#include "plan/plan.h"
#include "plan/strategies/strategies.h"

namespace trireme::train {
namespace {

using Config = TrainConfig;
using Model = Config::Model;
using Data = Config::Data;
using Train = Config::Train;
using Exchange = Config::Exchange;
using Run = Config::Run;
using Group = Config::Group;
using Keys = std::vector<config::Key<Config>>;

constexpr std::int64_t kMostSamples = std::int64_t{1} << 32;
constexpr std::int64_t kMostSteps = 1'000'000'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

// The values of an enumeration by the names that its own module gives them.
template <typename Kind, typename Name>
config::OneOf<Kind> one_of(std::span<const Kind> kinds, const Name& name) {
  config::OneOf<Kind> choice;
  for (const Kind kind : kinds) {
    choice.words.push_back(name(kind));
    choice.values.push_back(kind);
  }
  return choice;
}

config::OneOf<std::string> one_word_of(const std::vector<std::string_view>& words) {
  return {words, {words.begin(), words.end()}};
}

config::OneOf<wire::WireKind> wire() {
  return one_of(wire::all_wires(), [](wire::WireKind kind) { return wire::name(kind); });
}

config::OneOf<data::SyntheticKind> pattern() {
  static constexpr data::SyntheticKind kKinds[] = {data::SyntheticKind::kBlobs, data::SyntheticKind::kLinear,
                                                   data::SyntheticKind::kStripes};
  return one_of(std::span<const data::SyntheticKind>(kKinds),
                [](data::SyntheticKind kind) { return data::to_string(kind); });
}

config::OneOf<std::string> strategy() {
  std::vector<std::string_view> words = {"auto", "none"};
  for (const plan::Strategy one : plan::all_strategies()) words.push_back(plan::name(one));
  return one_word_of(words);
}

bool is_mlp(const Config& config) { return config.model.kind == ModelKind::kMlp; }
bool is_idx(const Config& config) { return config.data.kind == DataKind::kIdx; }
bool is_synthetic(const Config& config) { return config.data.kind == DataKind::kSynthetic; }
bool is_step(const Config& config) { return config.schedule.kind == optim::ScheduleKind::kStep; }
bool is_cosine(const Config& config) { return config.schedule.kind == optim::ScheduleKind::kCosine; }
bool has_servers(const Config& config) { return config.exchange.strategy == "parameter-server"; }

bool is_spectral(const Config& config) { return config.optimizer.kind == RuleKind::kSteepestSpectral; }
bool is_steepest(const Config& config) { return name(config.optimizer.kind).starts_with("steepest:"); }

Keys model_keys() {
  const config::OneOf<ModelKind> kind{{"linear", "mlp", "cnn"},
                                      {ModelKind::kLinear, ModelKind::kMlp, ModelKind::kCnn}};
  return {
      config::key("model.kind", "linear, mlp or cnn", kind, &Config::model, &Model::kind),
      config::key("model.hidden", "how wide each hidden layer is", config::WholeNumbers{1, 64, {1, 1 << 20}},
                  &Config::model, &Model::hidden)
          .only_of("mlp", is_mlp),
  };
}

Keys data_keys() {
  const config::OneOf<DataKind> kind{{"idx", "synthetic"}, {DataKind::kIdx, DataKind::kSynthetic}};
  const config::WholeNumber samples{1, kMostSamples};
  return {
      config::key("data.kind", "idx (the files of MNIST) or synthetic", kind, &Config::data, &Data::kind),
      config::key("data.path", "the folder of the files", config::Text{false}, &Config::data, &Data::path)
          .only_of("idx", is_idx),
      config::key("data.batch", "samples of each worker in a step", samples, &Config::data, &Data::batch),
      config::key("data.classes", "how many labels there are", config::WholeNumber{2, 1000}, &Config::data,
                  &Data::classes),
      config::key("data.pattern", "blobs, linear or stripes", pattern(), &Config::data, &Data::pattern)
          .only_of("synthetic", is_synthetic),
      config::key("data.train_samples", "how many to train on", samples, &Config::data, &Data::train_samples)
          .only_of("synthetic", is_synthetic),
      config::key("data.test_samples", "how many to test with", samples, &Config::data, &Data::test_samples)
          .only_of("synthetic", is_synthetic),
      config::key("data.shape", "of one sample; []: as usual for the pattern",
                  config::WholeNumbers{0, 4, {1, 1 << 22}}, &Config::data, &Data::shape)
          .only_of("synthetic", is_synthetic),
  };
}

Keys train_keys_of_section() {
  const config::WholeNumber steps{0, kMostSteps};
  return {
      config::key("train.epochs", "passes over all samples, unless train.steps is given",
                  config::WholeNumber{1, kMostSteps}, &Config::train, &Train::epochs),
      config::key("train.steps", "how many steps to train; 0: as many as the epochs take", steps,
                  &Config::train, &Train::steps),
      config::key("train.seed", "of the weights, the order of samples and synthetic data",
                  config::WholeNumber{}, &Config::train, &Train::seed),
      config::key("train.eval_every", "epochs between tests; 0: only at the end", steps, &Config::train,
                  &Train::eval_every),
      config::key("train.threads", "of each worker; 0: its share of the cores", config::WholeNumber{0, 4096},
                  &Config::train, &Train::threads),
      config::key("train.log_every", "steps between two lines of the log", config::WholeNumber{1, kMostSteps},
                  &Config::train, &Train::log_every),
  };
}

// A rule by its name, with the number that belongs to it.
struct RuleName {
  [[nodiscard]] RuleSpec read(const config::Setting& setting) const {
    const std::string text = config::text_of(setting, "a string", "give the name of a rule, like \"adamw\"");
    try {
      return usual_rule(text);
    } catch (const Error& error) {
      throw bad_input(fmt::format("{}: {}", config::subject(setting), error.failure().what),
                      error.failure().hint);
    }
  }
  [[nodiscard]] std::string print(const RuleSpec& rule) const { return config::toml_string(name(rule)); }
};

// A value of another type that may be left out.
template <typename Type>
struct Optional {
  using Value = std::optional<typename config::ListOf<Type>::Value>;

  Type type{};

  [[nodiscard]] Value read(const config::Setting& setting) const { return type.read(setting); }
  [[nodiscard]] std::string print(const Value& value) const { return value ? type.print(*value) : ""; }
};

// Of the rule, the name alone: other keys may have been read before.
config::Key<Config> kind_key() {
  return {.name = "optimizer.kind",
          .meaning = "the update rule: momentum, adamw, muon, steepest:lp=3, …",
          .read =
              [](Config& config, const config::Setting& setting) {
                const RuleSpec named = RuleName{}.read(setting);
                config.optimizer.kind = named.kind;
                config.optimizer.p = named.p;
              },
          .print = [](const Config& config) { return RuleName{}.print(config.optimizer); }};
}

Keys group_keys() {
  const Optional<config::Number> number;
  return config::keys_of_each<Config, Group>(
      "optimizer.group", &Config::groups,
      {config::key("optimizer.group.match", "the names of its parameters; * stands for any characters",
                   config::Text{false}, &Group::match),
       config::key("optimizer.group.kind", "their update rule", Optional<RuleName>{}, &Group::rule),
       config::key("optimizer.group.rate", "the learning rate that the schedule starts from for them", number,
                   &Group::rate),
       config::key("optimizer.group.weight_decay", "how strongly they are drawn to 0", number,
                   &Group::weight_decay)});
}

// A key for a number that only some kinds of rules have.
config::Key<Config> number_key(std::string_view key, std::string_view meaning, const config::Number& range,
                               double RuleSpec::*number, std::string_view of) {
  return config::key(key, meaning, range, &Config::optimizer, number)
      .only_of(of, [number](const Config& config) { return uses(config.optimizer.kind, number); });
}

Keys optimizer_keys() {
  const config::Number fraction{0, 1};
  constexpr std::string_view kMoments = "adam, adamw, lamb, lion and muon";
  Keys keys = {
      kind_key(),
      config::key("optimizer.rate", "the learning rate that the schedule starts from", config::Number{},
                  &Config::optimizer, &RuleSpec::rate),
      config::key("optimizer.weight_decay", "how strongly weights are drawn to 0", config::Number{},
                  &Config::optimizer, &RuleSpec::weight_decay),
      config::key("optimizer.clip_norm", "gradients are scaled to at most this norm; 0: not at all",
                  config::Number{}, &Config::clip_norm),
      number_key("optimizer.momentum", "how much of the last update remains", fraction, &RuleSpec::momentum,
                 "momentum, nesterov, lars and muon"),
      number_key("optimizer.beta1", "how much of the mean of gradients remains", fraction, &RuleSpec::beta1,
                 kMoments),
      number_key("optimizer.beta2", "how much of the mean of their squares remains", fraction,
                 &RuleSpec::beta2, kMoments),
      number_key("optimizer.epsilon", "added to the root that is divided by", {}, &RuleSpec::epsilon,
                 "adam, adamw, lamb and muon"),
      number_key("optimizer.trust", "a tensor moves by this times its rate and norm", {}, &RuleSpec::trust,
                 "lars"),
      number_key("optimizer.phi_least", "the norm of a tensor counts as at least this", {},
                 &RuleSpec::phi_least, "lamb"),
      number_key("optimizer.phi_most", "the norm of a tensor counts as at most this", {}, &RuleSpec::phi_most,
                 "lamb"),
      number_key("optimizer.vector_rate", "what is no matrix has this times the rate", {},
                 &RuleSpec::vector_rate, "muon"),
      config::key("optimizer.whole_model", "one norm of all parameters, instead of one for each",
                  config::Truth{}, &Config::optimizer, &RuleSpec::whole_model)
          .only_of("steepest descent", is_steepest),
      config::key("optimizer.svd", "by a singular value decomposition, not by an iteration", config::Truth{},
                  &Config::optimizer, &RuleSpec::svd)
          .only_of("steepest:spectral", is_spectral),
  };
  const Keys groups = group_keys();
  keys.insert(keys.end(), groups.begin(), groups.end());
  return keys;
}

Keys schedule_keys() {
  const config::WholeNumber steps{0, kMostSteps};
  return {
      config::key(
          "schedule.kind", "constant, step or cosine",
          one_of(optim::all_schedule_kinds(), [](optim::ScheduleKind kind) { return optim::name(kind); }),
          &Config::schedule, &optim::ScheduleSpec::kind),
      config::key("schedule.warmup_steps", "steps in which the rate grows to its full value", steps,
                  &Config::schedule, &optim::ScheduleSpec::warmup_steps),
      config::key("schedule.every_steps", "steps after which the rate shrinks", steps, &Config::schedule,
                  &optim::ScheduleSpec::every_steps)
          .only_of("step", is_step),
      config::key("schedule.gamma", "by what it is multiplied then", config::Number{}, &Config::schedule,
                  &optim::ScheduleSpec::gamma)
          .only_of("step", is_step),
      config::key("schedule.total_steps", "steps until the final rate; 0: to the end of the job", steps,
                  &Config::schedule, &optim::ScheduleSpec::total_steps)
          .only_of("cosine", is_cosine),
      config::key("schedule.final_rate", "the rate at the end", config::Number{}, &Config::schedule,
                  &optim::ScheduleSpec::final_rate)
          .only_of("cosine", is_cosine),
  };
}

Keys exchange_keys() {
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
      config::key("exchange.bucket_bytes", "how much of the gradients travels together",
                  config::ByteSize{1, kMostBytes}, &Config::exchange, &Exchange::bucket_bytes),
      config::key("exchange.drive", "exchange by a thread, in hooks, or after backward; measure: try all",
                  one_word_of({"measure", "after", "hooks", "thread"}), &Config::exchange, &Exchange::drive),
      config::key("exchange.timeout", "deadline of one exchange", config::Duration{}, &Config::exchange,
                  &Exchange::timeout),
  };
}

Keys run_keys() {
  return {config::key("run.out", "a folder for results and logs; empty: none are written", config::Text{},
                      &Config::run, &Run::out)};
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

const config::KeyTable<TrainConfig>& train_keys() {
  static const config::KeyTable<TrainConfig> table(all_keys());
  return table;
}

}  // namespace trireme::train
