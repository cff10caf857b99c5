#include "train/load_train_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/system/scratch_folder_test_util.h"

namespace trireme::train {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LoadedTrainConfig load_sets(const std::vector<std::string>& sets) {
  return load_train_config({.sets = sets});
}

std::string refusal(const std::vector<std::string>& sets) {
  try {
    (void)load_sets(sets);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(TrainConfig, IsThatOfTheStructWhereNobodySaysAnything) {
  EXPECT_EQ(load_train_config({}).config, TrainConfig());
  EXPECT_EQ(TrainConfig().optimizer.kind, RuleKind::kMomentum);
  EXPECT_EQ(TrainConfig().optimizer.rate, 0.05);
  EXPECT_EQ(TrainConfig().optimizer.momentum, 0.9);
}

TEST(TrainConfig, TakesTheStrongestOfAllThatIsSaid) {
  const ScratchFolder folder;
  const std::string path =
      folder.write("job.toml", "[train]\nseed = 2\nsteps = 2\nepochs = 2\n[exchange]\ntimeout = \"2 s\"\n");
  const LoadedTrainConfig loaded =
      load_train_config({.environment = {config::read_typed("exchange.timeout", "1", "TRIREME_TIMEOUT"),
                                         config::read_typed("run.out", "x", "HOME")},
                         .file = path,
                         .sets = {"train.steps=3", "train.epochs=3"},
                         .flags = {config::read_typed("train.epochs", "4", "--epochs")}});
  EXPECT_EQ(loaded.config.train.seed, 2);
  EXPECT_EQ(loaded.config.train.steps, 3);
  EXPECT_EQ(loaded.config.train.epochs, 4);
  EXPECT_EQ(loaded.config.exchange.timeout, 2s);
  EXPECT_EQ(loaded.sources, (config::Sources{{"train.seed", path + ":2"},
                                             {"train.steps", "--set"},
                                             {"train.epochs", "--epochs"},
                                             {"exchange.timeout", path + ":6"},
                                             {"run.out", "HOME"}}));
}

TEST(TrainConfig, TakesBareWordsAndLists) {
  const TrainConfig config = load_sets({"model.kind=mlp", "model.hidden=[256,128]", "train.seed=7"}).config;
  EXPECT_EQ(config.model.kind, ModelKind::kMlp);
  EXPECT_EQ(config.model.hidden, (std::vector<std::int64_t>{256, 128}));
  EXPECT_EQ(config.train.seed, 7);
}

TEST(TrainConfig, HasTheNumbersOfItsOptimizerUnlessTheyAreGiven) {
  EXPECT_EQ(load_sets({"optimizer.kind=adamw"}).config.optimizer, default_rule(RuleKind::kAdamW));
  EXPECT_EQ(load_sets({"optimizer.rate=0.5", "optimizer.kind=adam"}).config.optimizer.rate, 0.5);
  EXPECT_EQ(load_sets({"optimizer.kind=momentum"}).config, TrainConfig());
}

TEST(TrainConfig, NamesFileLineAndKeyOfWhatIsWrong) {
  const auto refusal_of = [](std::string_view text) -> std::string {
    try {
      (void)read_train_config(text, "job.toml");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal_of("[train]\nepochs = \"3\""),
              HasSubstr("job.toml:2: train.epochs is a string, and must be a whole number"));
  EXPECT_THAT(refusal_of("[data]\nbatch = 0"), HasSubstr("job.toml:2: data.batch: 0 is out of range"));
  EXPECT_THAT(refusal_of("[train]\nepoch = 3"),
              HasSubstr("job.toml:2: unknown key train.epoch; did you mean train.epochs?"));
}

TEST(TrainConfig, KnowsItsWords) {
  EXPECT_EQ(refusal({"exchange.strategy=rnig"}),
            "--set exchange.strategy: there is no 'rnig'; did you mean ring?");
  EXPECT_EQ(refusal({"exchange.wire=shmem"}), "--set exchange.wire: there is no 'shmem'; did you mean shm?");
  EXPECT_EQ(refusal({"exchange.drive=hook"}),
            "--set exchange.drive: there is no 'hook'; did you mean hooks?");
  for (const char* word : {"auto", "none", "ring", "direct", "all-to-all", "parameter-server", "tree"})
    EXPECT_EQ(load_sets({std::string("exchange.strategy=") + word}).config.exchange.strategy, word);
}

TEST(TrainConfig, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(
      refusal({"exchange.servers=2", "exchange.strategy=ring"}),
      "exchange.servers is 2, and exchange.strategy is ring; servers are for parameter-server: choose it, or "
      "leave them out");
  EXPECT_EQ(refusal({"exchange.servers=2", "exchange.strategy=parameter-server"}), "accepted");
  EXPECT_THAT(refusal({"optimizer.momentum=0"}), HasSubstr("the rule without momentum is sgd"));
  EXPECT_EQ(refusal({"optimizer.momentum=0", "optimizer.kind=sgd"}), "accepted");
  EXPECT_THAT(refusal({"schedule.kind=step"}),
              HasSubstr("[schedule]: the learning rate is to change every 0 steps; a step schedule"));
}

TEST(TrainConfig, LetsACosineGoToTheEndOfTheJob) {
  EXPECT_EQ(refusal({"schedule.kind=cosine"}), "accepted");
  EXPECT_EQ(refusal({"schedule.kind=cosine", "schedule.warmup_steps=10", "train.steps=11"}), "accepted");
  EXPECT_THAT(refusal({"schedule.kind=cosine", "schedule.warmup_steps=10", "train.steps=10"}),
              HasSubstr("a cosine schedule of 10 steps has a warm-up of 10 steps"));
}

TEST(TrainConfig, SaysWhatIsSetAndNotUsed) {
  EXPECT_THAT(unused_keys(load_sets({"model.hidden=[3]", "optimizer.beta1=0.5", "data.path=x"})),
              ElementsAre("model.hidden (--set) is not used: it is for mlp",
                          "optimizer.beta1 (--set) is not used: it is for adam, adamw, lamb, lion and muon"));
  EXPECT_THAT(unused_keys(load_sets({"model.hidden=[3]", "model.kind=mlp"})), IsEmpty());
}

TEST(ExplainedConfig, IsAFileThatGivesTheSameWithoutWarnings) {
  const LoadedTrainConfig loaded =
      load_sets({"data.kind=synthetic", "optimizer.kind=adam", "run.out=a \"b\"", "exchange.timeout=2min"});
  const std::string text = explain_config(loaded);
  EXPECT_EQ(read_train_config(text, "again"), loaded.config);
  const ScratchFolder folder;
  EXPECT_THAT(unused_keys(load_train_config({.file = folder.write("job.toml", text)})), IsEmpty());
}

TEST(TrainConfig, IsRepeatedInAnotherFolderWithoutWarnings) {
  const LoadedTrainConfig loaded = load_sets({"data.kind=synthetic", "optimizer.kind=adam", "run.out=x"});
  const ScratchFolder folder;
  const LoadedTrainConfig again =
      load_train_config({.file = folder.write("job.toml", to_repeat(loaded.config))});
  EXPECT_THAT(unused_keys(again), IsEmpty());
  TrainConfig expected = loaded.config;
  expected.run.out = "";
  EXPECT_EQ(again.config, expected);
}

LoadedTrainConfig load_text(const std::string& text) {
  const ScratchFolder folder;
  return load_train_config({.file = folder.write("job.toml", text)});
}

std::string refusal_of_text(const std::string& text) {
  try {
    static_cast<void>(read_train_config(text, "job.toml"));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TrainConfig, HasGroupsOfParametersInTheOrderOfTheFile) {
  const TrainConfig config = read_train_config(
      "[optimizer]\nrate = 0.1\n[[optimizer.group]]\nmatch = \"*.bias\"\nweight_decay = 0\n"
      "[[optimizer.group]]\nmatch = \"0.*\"\nkind = \"adamw\"\n[[optimizer.group]]\nmatch = \"?\"\nrate = "
      "0.05\n",
      "job.toml");
  const std::vector<ParameterGroup> groups = groups_of(config);
  ASSERT_EQ(groups.size(), 3);
  EXPECT_EQ(groups[0], (ParameterGroup{.match = "*.bias", .weight_decay = 0}));
  EXPECT_EQ(groups[1].rule, default_rule(RuleKind::kAdamW));
  EXPECT_DOUBLE_EQ(groups[1].rate_factor, 0.01) << "the usual rate of adamw, 0.001";
  EXPECT_EQ(groups[2], (ParameterGroup{.match = "?", .rate_factor = 0.5}));
}

TEST(TrainConfig, ShowsGroupsWithTheOriginOfWhatTheySay) {
  const std::string text = explain_config(load_text(
      "[[optimizer.group]]\nmatch = \"*.bias\"\nweight_decay = 0\n[[optimizer.group]]\nmatch = \"0.*\"\n"));
  EXPECT_THAT(
      text, testing::ContainsRegex("\n\\[\\[optimizer.group\\]\\]\nmatch = \"\\*.bias\" *# .*job.toml:2 .*\n"
                                   "weight_decay = 0 *# .*job.toml:3 .*\n\n"
                                   "\\[\\[optimizer.group\\]\\]\nmatch = \"0.\\*\" *# .*job.toml:5 .*\n\n"
                                   "\\[schedule\\]"));
}

TEST(TrainConfig, RefusesGroupsThatSayTooLittleOrTooMuch) {
  EXPECT_THAT(refusal_of_text("[[optimizer.group]]\nmatch = \"x\"\n[[optimizer.group]]\nrate = 1\n"),
              HasSubstr("job.toml:3: this [[optimizer.group]] has no match"));
  EXPECT_THAT(refusal_of_text("[optimizer.group]\nmatch = \"x\"\n"),
              HasSubstr("job.toml:1: optimizer.group is one table [optimizer.group]"));
  EXPECT_THAT(refusal_of_text("[optimizer]\ngroup = 3\n"),
              HasSubstr("job.toml:2: optimizer.group is a whole number, and must be a table; write "
                        "[[optimizer.group]] on a line of its own in a file"));
  EXPECT_THAT(refusal_of_text("[[optimizer.group]]\nmacht = \"x\"\n"),
              HasSubstr("did you mean optimizer.group.match?"));
  EXPECT_THAT(
      refusal_of_text("[[optimizer.group]]\nmatch = \"x\"\nkind = \"adem\"\n"),
      HasSubstr("job.toml:3: optimizer.group.kind: unknown update rule 'adem'; give one of sgd, momentum"));
  EXPECT_THAT(refusal_of_text("[[optimizer.group]]\nmatch = \"x\"\nweight_decay = -1\n"),
              HasSubstr("job.toml:3: optimizer.group.weight_decay"));
  EXPECT_THAT(refusal({"optimizer.group.match=x"}),
              HasSubstr("--set optimizer.group.match can only be set in a file"));
  EXPECT_THAT(refusal_of_text("[optimizer]\nrate = 0\n[[optimizer.group]]\nmatch = \"x\"\nrate = 1\n"),
              HasSubstr("has a rate of its own, and optimizer.rate is 0"));
}

TEST(TrainConfig, KnowsRulesByTheirNamesAndNumbers) {
  EXPECT_EQ(load_sets({"optimizer.kind=steepest:lp=1.5"}).config.optimizer.p, 1.5);
  EXPECT_EQ(load_sets({"optimizer.kind=muon"}).config.optimizer, default_rule(RuleKind::kMuon));
  EXPECT_THAT(refusal({"optimizer.kind=adem"}),
              HasSubstr("--set optimizer.kind: unknown update rule 'adem'; give one of sgd, momentum"));
  EXPECT_THAT(refusal({"optimizer.kind=steepest:lp=1"}),
              HasSubstr("--set optimizer.kind: p of steepest:lp is 1"));
  EXPECT_THAT(
      unused_keys(load_sets({"optimizer.trust=1", "optimizer.whole_model=true", "optimizer.svd=true"})),
      ElementsAre("optimizer.trust (--set) is not used: it is for lars",
                  "optimizer.whole_model (--set) is not used: it is for steepest descent",
                  "optimizer.svd (--set) is not used: it is for steepest:spectral"));
}

TEST(TrainConfig, NeedsWholeTensorsWhereARuleDoes) {
  EXPECT_FALSE(needs_whole_tensors(load_sets({"optimizer.kind=steepest:l2"}).config));
  EXPECT_TRUE(needs_whole_tensors(load_sets({"optimizer.kind=muon"}).config));
  EXPECT_TRUE(needs_whole_tensors(load_sets({"optimizer.kind=lamb"}).config));
  const std::string group = "[[optimizer.group]]\nmatch = \"x\"\n";
  EXPECT_FALSE(needs_whole_tensors(read_train_config(group, "job.toml")));
  EXPECT_TRUE(needs_whole_tensors(read_train_config(group + "kind = \"steepest:linf\"\n", "job.toml")));
}

TEST(TrainConfig, TakesTheColumnOfALabelByNameOrNumber) {
  const auto label = [](const std::string& value) {
    return read_train_config("[data]\nkind = \"csv\"\nlabel = " + value + "\n", "job.toml").data.label;
  };
  EXPECT_EQ(label("7"), "7");
  EXPECT_EQ(label("\"7\""), "7");
  EXPECT_EQ(label("\"kind\""), "kind");
  EXPECT_EQ(load_sets({"data.label=07"}).config.data.label, "07");
  EXPECT_EQ(load_sets({"data.label=kind"}).config.data.label, "kind");
  EXPECT_THAT(refusal({"data.header=yes"}),
              HasSubstr("data.header: there is no 'yes'; give one of auto, true, false"));
  EXPECT_EQ(load_sets({"data.header=true"}).config.data.header, data::CsvHeader::kTrue);
  EXPECT_EQ(read_train_config("[data]\nheader = false\n", "job.toml").data.header, data::CsvHeader::kFalse);
}

TEST(TrainConfig, HasTheClassesOfTheLabelsForCsvAndNpy) {
  EXPECT_EQ(load_sets({}).config.data.classes, 10);
  EXPECT_EQ(load_sets({"data.kind=csv"}).config.data.classes, 0);
  EXPECT_EQ(load_sets({"data.kind=npy"}).config.data.classes, 0);
  EXPECT_EQ(load_sets({"data.kind=npy", "data.classes=7"}).config.data.classes, 7);
  EXPECT_THAT(refusal({"data.classes=1"}), HasSubstr("data.classes is 1; give 2 or more, or 0"));
}

TEST(TrainConfig, NeedsBothFilesForTheTestOrNone) {
  EXPECT_THAT(refusal({"data.kind=npy", "data.test_path=x"}),
              HasSubstr("data.test_path is given, and data.test_labels is not; "));
  EXPECT_THAT(refusal({"data.kind=npy", "data.test_labels=x"}),
              HasSubstr("data.test_labels is given, and data.test_path is not; "));
}

TEST(TrainConfig, SaysThatStepsGoBeforeEpochs) {
  EXPECT_THAT(unused_keys(load_sets({"train.epochs=3", "train.steps=2"})),
              ElementsAre("train.epochs (--set) is not used: it is for train.steps = 0"));
  EXPECT_THAT(unused_keys(load_sets({"train.epochs=3", "train.steps=0"})), IsEmpty());
}

// Any value of the key's range; doubles of any size.
double number(double most = 1e300) {
  return most *
         std::abs(*rc::gen::map(rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53),
                                [](std::int64_t n) { return std::ldexp(static_cast<double>(n), -53); }));
}

std::int64_t whole(std::int64_t min, std::int64_t max) { return *rc::gen::inRange<std::int64_t>(min, max); }

std::vector<std::int64_t> list(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(whole(least, most + 1)));
  for (std::int64_t& one : numbers) one = whole(1, 1000);
  return numbers;
}

std::string text() {
  std::string any = "x";
  for (std::int64_t left = whole(0, 20); left > 0; --left)
    any += *rc::gen::elementOf(
        std::vector<std::string>{"a", "\"", "\\", "#", "'", " ", "=", "[", "ß", "€", "𝄞"});
  return any;
}

TrainConfig any_config() {
  TrainConfig config;
  config.model = {*rc::gen::element(ModelKind::kLinear, ModelKind::kMlp, ModelKind::kCnn), list(1, 64),
                  text()};
  config.data = {
      .kind = *rc::gen::element(DataKind::kIdx, DataKind::kCsv, DataKind::kNpy, DataKind::kSynthetic),
      .path = text(),
      .labels = text(),
      .label = text(),
      .header = *rc::gen::element(data::CsvHeader::kAuto, data::CsvHeader::kTrue, data::CsvHeader::kFalse),
      .test_share = number(1),
      .normalize = *rc::gen::element(data::NormalizeKind::kNone, data::NormalizeKind::kUnit,
                                     data::NormalizeKind::kStandard),
      .batch = whole(1, 1 << 20),
      .classes = whole(2, 1000),
      .pattern = *rc::gen::element(data::SyntheticKind::kBlobs, data::SyntheticKind::kLinear,
                                   data::SyntheticKind::kStripes),
      .train_samples = whole(1, 1 << 20),
      .test_samples = whole(1, 1 << 20),
      .shape = list(0, 4)};
  if (*rc::gen::arbitrary<bool>()) config.data.test_path = config.data.test_labels = text();
  config.train = {.loss = *rc::gen::element(Loss::kCrossEntropy, Loss::kMse),
                  .epochs = whole(1, 1000),
                  .steps = whole(0, 1000),
                  .seed = static_cast<std::uint64_t>(whole(0, INT64_MAX)),
                  .eval_every = whole(0, 1000),
                  .threads = whole(0, 4096),
                  .log_every = whole(1, 1000)};
  for (std::int64_t left = whole(0, 2); left > 0; --left) {
    config.train.slow.push_back({static_cast<Rank>(left), 1 + 0.3 * static_cast<double>(whole(0, 99))});
  }
  config.optimizer = {
      *rc::gen::elementOf(std::vector<RuleKind>(all_rule_kinds().begin(), all_rule_kinds().end())),
      number(),
      0.5 + number(0.4),
      number(0.9),
      number(0.9),
      0.1 + number(),
      number()};
  if (config.optimizer.epsilon > 1e30) config.optimizer.epsilon = 1e-8;  // which float32 would not hold
  if (config.optimizer.kind == RuleKind::kSteepestLp) config.optimizer.p = 1.5 + number();
  config.optimizer.whole_model = *rc::gen::arbitrary<bool>();
  for (std::int64_t left = whole(0, 3); left > 0; --left) {
    TrainConfig::Group group{.match = text()};
    if (*rc::gen::arbitrary<bool>())
      group.rule = usual_rule(*rc::gen::elementOf(std::vector<std::string>{"adam", "steepest:lp=4"}));
    if (*rc::gen::arbitrary<bool>()) group.rate = number();
    if (*rc::gen::arbitrary<bool>()) group.weight_decay = number();
    config.groups.push_back(group);
  }
  config.clip_norm = number();
  config.schedule = {*rc::gen::element(optim::ScheduleKind::kConstant, optim::ScheduleKind::kStep,
                                       optim::ScheduleKind::kCosine),
                     whole(0, 1000),
                     whole(1, 1000),
                     0.5 + number(),
                     whole(1000, 2000),
                     number()};
  const bool servers = *rc::gen::arbitrary<bool>();
  config.exchange = {
      servers ? "parameter-server" : *rc::gen::element<std::string>("auto", "none", "ring", "tree"),
      wire::all_wires()[idx(static_cast<int>(whole(0, 5)))],
      static_cast<Rank>(whole(1, 1000)),
      servers ? static_cast<Rank>(whole(0, 100)) : 0,
      servers
          ? plan::parse_mode(*rc::gen::element<std::string>("sync", "async", "ssp:3", "backup:2"), "a test")
          : plan::Mode{},
      *rc::gen::element<std::string>("workers", "staleness", "none"),
      whole(1, INT32_MAX),
      *rc::gen::element<std::string>("measure", "after", "hooks", "thread"),
      std::chrono::nanoseconds(whole(1, 604'800'000'000'000))};
  config.run.out = text();
  config.run.checkpoint_every =
      *rc::gen::arbitrary<bool>()
          ? TrainConfig::Interval{.steps = whole(0, 1000)}
          : TrainConfig::Interval{.time = std::chrono::nanoseconds(whole(1, 1 << 30))};
  config.run.keep = whole(0, 10);
  config.run.save = text();
  config.run.replay = text();
  return config;
}

TEST(TrainConfig, SavesAfterStepsOrAfterATime) {
  const auto read = [](const std::string& value) {
    return read_train_config("[run]\ncheckpoint_every = " + value, "job.toml").run.checkpoint_every;
  };
  EXPECT_EQ(read("500").steps, 500);
  EXPECT_EQ(read("\"500\"").steps, 500);
  EXPECT_EQ(read("\"10 min\"").time, std::chrono::minutes(10));
  EXPECT_EQ(read("0"), TrainConfig::Interval());
  for (const std::string neither : {"\"often\"", "\"1.5\"", "\"5 bananas\"", "\"\"", "true", "1.5"}) {
    EXPECT_THAT(refusal_of_text("[run]\ncheckpoint_every = " + neither),
                testing::AllOf(HasSubstr("run.checkpoint_every"),
                               HasSubstr("a number of steps, such as 500, or a time, such as \"10 min\"")))
        << neither;
  }
}

// Weakest first: what was saved, the file, --set, flags.
TEST(TrainConfig, OfACheckpointIsWeakerThanAllElse) {
  TrainInputs inputs;
  inputs.saved = {"[train]\nsteps = 7\nseed = 3\n[optimizer]\nkind = \"adam\"\nrate = 0.5\n", "saved.toml"};
  inputs.sets = {"train.seed=4"};
  inputs.flags = {config::read_typed("train.steps", "9", "--steps")};
  const LoadedTrainConfig loaded = load_train_config(inputs);
  EXPECT_EQ(loaded.config.train.steps, 9);
  EXPECT_EQ(loaded.config.train.seed, 4U);
  EXPECT_EQ(loaded.config.optimizer.kind, RuleKind::kAdam);
  EXPECT_EQ(loaded.config.optimizer.rate, 0.5);
}

TEST(TrainConfigText, ToRepeatNamesNothingThatIsWritten) {
  TrainConfig config;
  config.run = {.out = "runs/a", .checkpoint_every = {.steps = 5}, .keep = 7, .save = "weights.safetensors"};
  const TrainConfig repeated = read_train_config(to_repeat(config), "again");
  EXPECT_EQ(repeated.run.out, "");
  EXPECT_EQ(repeated.run.save, "");
  EXPECT_EQ(repeated.run.checkpoint_every.steps, 5);
  EXPECT_EQ(repeated.run.keep, 7);
}

RC_GTEST_PROP(TrainConfigText, GivesTheSameConfigurationWhenItIsReadBack, ()) {
  const TrainConfig config = any_config();
  RC_ASSERT(read_train_config(to_toml(config), "again") == config);
}

}  // namespace
}  // namespace trireme::train
