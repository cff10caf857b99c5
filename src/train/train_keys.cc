#include "train/train_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "config/key_types.h"
#include "plan/plan.h"
#include "train/exchange_keys.h"

namespace trireme::train {
namespace {

using Config = TrainConfig;
using Model = Config::Model;
using Data = Config::Data;
using Train = Config::Train;
using Run = Config::Run;
using Group = Config::Group;
using Keys = std::vector<config::Key<Config>>;

constexpr std::int64_t kMostSamples = std::int64_t{1} << 32;
constexpr std::int64_t kMostSteps = 1'000'000'000'000;

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

config::OneOf<data::SyntheticKind> pattern() {
  static constexpr data::SyntheticKind kKinds[] = {data::SyntheticKind::kBlobs, data::SyntheticKind::kLinear,
                                                   data::SyntheticKind::kStripes};
  return one_of(std::span<const data::SyntheticKind>(kKinds),
                [](data::SyntheticKind kind) { return data::to_string(kind); });
}

bool is_mlp(const Config& config) { return config.model.kind == ModelKind::kMlp; }
bool is_csv(const Config& config) { return config.data.kind == DataKind::kCsv; }
bool is_npy(const Config& config) { return config.data.kind == DataKind::kNpy; }
bool is_own_file(const Config& config) { return is_csv(config) || is_npy(config); }
bool is_held_back(const Config& config) { return is_own_file(config) && config.data.test_path.empty(); }
bool ends_by_epochs(const Config& config) { return config.train.steps == 0; }
bool is_synthetic(const Config& config) { return config.data.kind == DataKind::kSynthetic; }
bool is_file(const Config& config) { return !is_synthetic(config); }
bool has_classes(const Config& config) {
  return config.train.loss == Loss::kCrossEntropy || is_synthetic(config);
}
bool is_step(const Config& config) { return config.schedule.kind == optim::ScheduleKind::kStep; }
bool is_cosine(const Config& config) { return config.schedule.kind == optim::ScheduleKind::kCosine; }

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
      config::key("model.init", "a safetensors file of weights to begin with; empty: random ones",
                  config::Text{}, &Config::model, &Model::init),
  };
}

// A column of a csv file: a name, or a whole number without quotes.
struct Column {
  [[nodiscard]] std::string read(const config::Setting& setting) const {
    const auto* number = std::get_if<std::int64_t>(&setting.value.is);
    if (number != nullptr && !setting.typed) return fmt::format("{}", *number);
    return config::Text{}.read(setting);
  }
  [[nodiscard]] std::string print(const std::string& column) const { return config::toml_string(column); }
};

// true and false without quotes, or "auto".
struct Header {
  [[nodiscard]] data::CsvHeader read(const config::Setting& setting) const {
    if (const auto* truth = std::get_if<bool>(&setting.value.is))
      return *truth ? data::CsvHeader::kTrue : data::CsvHeader::kFalse;
    static const std::vector<std::string_view> words = {"auto", "true", "false"};
    return static_cast<data::CsvHeader>(config::read_word(setting, words));
  }
  [[nodiscard]] std::string print(data::CsvHeader header) const {
    return header == data::CsvHeader::kAuto   ? config::toml_string("auto")
           : header == data::CsvHeader::kTrue ? "true"
                                              : "false";
  }
};

Keys data_keys() {
  const config::OneOf<DataKind> kind{{"idx", "csv", "npy", "synthetic"},
                                     {DataKind::kIdx, DataKind::kCsv, DataKind::kNpy, DataKind::kSynthetic}};
  using data::NormalizeKind;
  const config::OneOf<NormalizeKind> normalize{
      {"none", "unit", "standard"}, {NormalizeKind::kNone, NormalizeKind::kUnit, NormalizeKind::kStandard}};
  const config::WholeNumber samples{1, kMostSamples};
  return {
      config::key("data.kind", "idx (the files of MNIST), csv, npy or synthetic", kind, &Config::data,
                  &Data::kind),
      config::key("data.path", "the folder of idx files; the csv file; the npy file of samples",
                  config::Text{false}, &Config::data, &Data::path)
          .only_of("idx, csv and npy", is_file),
      config::key("data.label", "the column of the labels, by name or number", Column{}, &Config::data,
                  &Data::label)
          .only_of("csv", is_csv),
      config::key("data.header", "whether the first row has names: true, false; auto: if it has a word",
                  Header{}, &Config::data, &Data::header)
          .only_of("csv", is_csv),
      config::key("data.labels", "the npy file of labels", config::Text{}, &Config::data, &Data::labels)
          .only_of("npy", is_npy),
      config::key("data.test_path", "a file to test with; empty: some of the samples", config::Text{},
                  &Config::data, &Data::test_path)
          .only_of("csv and npy", is_own_file),
      config::key("data.test_labels", "its labels", config::Text{}, &Config::data, &Data::test_labels)
          .only_of("npy", is_npy),
      config::key("data.test_share", "the part of the samples that is tested with, chosen by the seed",
                  config::Number{0, 1}, &Config::data, &Data::test_share)
          .only_of("csv and npy without data.test_path", is_held_back),
      config::key("data.normalize", "none; unit: to 0 … 1; standard: mean 0, deviation 1 of each feature",
                  normalize, &Config::data, &Data::normalize),
      config::key("data.batch", "samples of each worker in a step", samples, &Config::data, &Data::batch),
      config::key("data.classes", "how many labels there are; 0: one more than the largest",
                  config::WholeNumber{0, data::kMostClasses}, &Config::data, &Data::classes)
          .only_of("cross-entropy", has_classes),
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

// "3:2.5,1:2"
struct SlowType {
  using Value = std::vector<Train::Slow>;

  [[nodiscard]] Value read(const config::Setting& setting) const {
    constexpr const char* kHint = "give WORKER:FACTOR, such as 3:2.5, and more after commas";
    const std::string text = config::text_of(setting, "a string", kHint);
    Value all;
    if (text.empty()) return all;
    for (const std::string_view one : split(text, ',')) {
      const std::size_t colon = one.find(':');
      const std::string subject = config::subject(setting);
      if (colon == std::string_view::npos) {
        throw bad_input(
            fmt::format("{}: '{}' is no worker with a factor", subject, printable(std::string(one))), kHint);
      }
      Train::Slow slow;
      slow.worker = static_cast<Rank>(
          parse_integer(std::string(one.substr(0, colon)), subject, 0, plan::PlanSpec::kMaxNodes));
      const std::string_view factor = one.substr(colon + 1);
      slow.factor = finite_number(factor).value_or(0);
      if (!(slow.factor >= 1) || slow.factor > 1e6) {
        throw bad_input(fmt::format("{}: worker {} cannot take '{}' times as long", subject, slow.worker,
                                    printable(std::string(factor))),
                        "give a factor of 1 or more: a worker cannot be made faster");
      }
      if (std::ranges::find(all, slow.worker, &Train::Slow::worker) != all.end()) {
        throw bad_input(fmt::format("{}: worker {} is there twice", subject, slow.worker),
                        "give one factor for each worker");
      }
      all.push_back(slow);
    }
    return all;
  }
  [[nodiscard]] std::string print(const Value& all) const {
    std::string text;
    for (const Train::Slow& slow : all) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", slow.worker, slow.factor);
    }
    return config::toml_string(text);
  }
};

Keys train_keys_of_section() {
  const config::WholeNumber steps{0, kMostSteps};
  const config::OneOf<Loss> loss{{"cross-entropy", "mse"}, {Loss::kCrossEntropy, Loss::kMse}};
  return {
      config::key("train.loss", "cross-entropy, of classes; mse, of numbers", loss, &Config::train,
                  &Train::loss),
      config::key("train.epochs", "passes over all samples", config::WholeNumber{0, kMostSteps},
                  &Config::train, &Train::epochs)
          .only_of("train.steps = 0", ends_by_epochs),
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
      config::key("train.slow", "workers that take longer to compute: 3:2.5 is worker 3, 2.5 times as long",
                  SlowType{}, &Config::train, &Train::slow),
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
                   config::Text{false}, &Group::match)
           .such_as("\"*.bias\""),
       config::key("optimizer.group.kind", "their update rule", Optional<RuleName>{}, &Group::rule)
           .such_as("\"adamw\""),
       config::key("optimizer.group.rate", "the learning rate that the schedule starts from for them", number,
                   &Group::rate)
           .such_as("0.001"),
       config::key("optimizer.group.weight_decay", "how strongly they are drawn to 0", number,
                   &Group::weight_decay)
           .such_as("0")});
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

// 50 or "50": steps; "10 min": a time.
struct IntervalType {
  using Value = Config::Interval;

  [[nodiscard]] Value read(const config::Setting& setting) const {
    constexpr const char* kExamples = "a number of steps, such as 500, or a time, such as \"10 min\"";
    if (std::holds_alternative<std::int64_t>(setting.value.is)) return {.steps = steps_of(setting)};
    const std::string text = config::text_of(setting, kExamples, fmt::format("give {}", kExamples));
    const std::string_view digits = "0123456789";
    if (!text.empty() && text.find_first_not_of(digits) == std::string::npos) {
      return {.steps = parse_integer(text, config::subject(setting), 0, kMostSteps)};
    }
    try {
      const std::size_t unit = text.find_first_not_of("0123456789. ");
      if (unit != std::string::npos) return {.time = parse_duration(text, config::subject(setting))};
    } catch (const Error&) {  // says nothing of steps
    }
    throw bad_input(fmt::format("{}: '{}' is neither a number of steps nor a time", config::subject(setting),
                                printable(text)),
                    fmt::format("give {}", kExamples));
  }
  [[nodiscard]] std::string print(const Value& value) const {
    return value.time.count() > 0 ? config::Duration{}.print(value.time) : fmt::format("{}", value.steps);
  }

 private:
  static std::int64_t steps_of(const config::Setting& setting) {
    return config::WholeNumber{0, kMostSteps}.read(setting);
  }
};

Keys run_keys() {
  return {
      config::key("run.out", "a folder for results and logs; empty: none are written", config::Text{},
                  &Config::run, &Run::out),
      config::key("run.checkpoint_every", "steps or time between checkpoints; 0: only one at the end",
                  IntervalType{}, &Config::run, &Run::checkpoint_every),
      config::key("run.keep", "how many checkpoints to keep, the newest; 0: all",
                  config::WholeNumber{0, kMostSteps}, &Config::run, &Run::keep),
      config::key("run.save", "a safetensors file for the weights at the end; empty: none", config::Text{},
                  &Config::run, &Run::save),
      config::key("run.replay", "a schedule.jsonl, applied again in one process; empty: none", config::Text{},
                  &Config::run, &Run::replay),
  };
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
