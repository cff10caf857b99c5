// The keys of modes: who waits for whom, slow workers, and the schedule that is replayed.
#include "train/exchange_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "train/load_train_config.h"
#include "train/train_config.h"

namespace trireme::train {
namespace exchange_keys_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TrainConfig with(std::vector<std::string> sets) {
  sets.emplace_back("exchange.strategy=parameter-server");
  return load_train_config({.sets = sets}).config;
}

template <typename Act>
std::string refusal_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::vector<std::string>& sets) {
  return refusal_of([&] { static_cast<void>(with(sets)); });
}

std::string refusal_of_nodes(const std::vector<std::string>& sets) {
  return refusal_of([&] { check_nodes(with(sets)); });
}

TEST(ModeKey, IsReadAndPrinted) {
  for (const char* mode : {"sync", "async", "ssp:3", "backup:1"}) {
    const TrainConfig config = with({std::string("exchange.mode=") + mode});
    EXPECT_EQ(to_string(config.exchange.mode), mode);
    EXPECT_THAT(to_toml(config), HasSubstr(std::string("\nmode = \"") + mode + "\"\n"));
  }
}

TEST(ModeKey, OfNoSlackIsSync) {
  EXPECT_EQ(with({"exchange.mode=ssp:0"}).exchange.mode, plan::Mode{});
  EXPECT_EQ(with({"exchange.mode=backup:0"}).exchange.mode, plan::Mode{});
}

TEST(ModeKey, RefusesWhatIsNone) {
  EXPECT_EQ(
      refusal({"exchange.mode=asynch"}),
      "--set exchange.mode: there is no mode 'asynch'; give sync, async, ssp:3 (updates ahead) or backup:1 "
      "(workers)");
  EXPECT_THAT(refusal({"exchange.mode=ssp:-1"}), HasSubstr("-1 is out of range"));
  EXPECT_THAT(refusal({"exchange.mode=backup:x"}), HasSubstr("--set exchange.mode: "));
  EXPECT_THAT(refusal({"exchange.mode=3"}), HasSubstr("exchange.mode"));
}

TEST(ModeKey, IsForParameterServers) {
  EXPECT_EQ(
      refusal_of([] { static_cast<void>(load_train_config({.sets = {"exchange.mode=async"}})); }),
      "exchange.mode is async, and exchange.strategy is auto; choose parameter-server, with which workers "
      "need not wait for all others, or sync");
}

TEST(ModeKey, NeedsDedicatedServers) {
  EXPECT_EQ(refusal_of_nodes({"exchange.mode=ssp:2", "exchange.servers=0"}),
            "exchange.mode is ssp:2, and exchange.servers is 0: such modes need dedicated servers, because a "
            "worker that computes cannot answer; give --servers 1 or more");
  EXPECT_EQ(refusal_of_nodes({"exchange.mode=ssp:2", "exchange.servers=1"}), "accepted");
  EXPECT_EQ(refusal_of_nodes({"exchange.servers=0"}), "accepted");
}

TEST(ModeKey, LeavesAWorker) {
  const auto of = [](const char* workers) {
    return refusal_of_nodes(
        {"exchange.mode=backup:2", "exchange.servers=1", std::string("exchange.workers=") + workers});
  };
  EXPECT_EQ(of("2"), "exchange.mode is backup:2, and there are 2 workers; leave out fewer than there are");
  EXPECT_EQ(of("3"), "accepted");
}

TEST(StalenessRateKey, HasThreeWordsAndAUseInTwoModes) {
  for (const char* rate : {"workers", "staleness", "none"})
    EXPECT_EQ(with({std::string("exchange.staleness_rate=") + rate}).exchange.staleness_rate, rate);
  EXPECT_THAT(refusal({"exchange.staleness_rate=worker"}), HasSubstr("did you mean workers?"));
  const auto unused_in = [](const char* mode) {
    return unused_keys(
        load_train_config({.sets = {"exchange.strategy=parameter-server", "exchange.staleness_rate=none",
                                    std::string("exchange.mode=") + mode}}));
  };
  EXPECT_THAT(unused_in("async"), IsEmpty());
  EXPECT_THAT(unused_in("ssp:1"), IsEmpty());
  EXPECT_THAT(unused_in("backup:1"), ElementsAre(HasSubstr("exchange.staleness_rate (--set) is not used")));
}

TEST(SlowKey, IsAListOfWorkersAndFactors) {
  const TrainConfig config = with({"train.slow=3:2.5,0:4"});
  EXPECT_THAT(config.train.slow,
              ElementsAre(TrainConfig::Train::Slow{3, 2.5}, TrainConfig::Train::Slow{0, 4}));
  EXPECT_THAT(to_toml(config), HasSubstr("\nslow = \"3:2.5,0:4\"\n"));
  EXPECT_THAT(with({}).train.slow, IsEmpty());
}

TEST(SlowKey, RefusesWhatIsNone) {
  for (const char* fast : {"1:0.5", "1:0", "1:-2", "1:nan", "1:inf", "1:", "1:1e9"}) {
    EXPECT_THAT(
        refusal({std::string("train.slow=") + fast}),
        AllOf(HasSubstr("--set train.slow: worker 1 cannot take '"), HasSubstr("a factor of 1 or more")))
        << fast;
  }
  EXPECT_THAT(refusal({"train.slow=1"}), HasSubstr("'1' is no worker with a factor"));
  EXPECT_THAT(refusal({"train.slow=1:2,"}), HasSubstr("'' is no worker with a factor"));
  EXPECT_THAT(refusal({"train.slow=-1:2"}), HasSubstr("-1 is out of range"));
  EXPECT_NE(refusal({"train.slow=x:2"}), "accepted");
}

TEST(SlowKey, NamesWorkersThatThereAre) {
  EXPECT_EQ(refusal_of_nodes({"train.slow=2:3", "exchange.workers=2"}),
            "train.slow names worker 2, and there are 2 workers; workers are 0 to 1");
  EXPECT_EQ(refusal_of_nodes({"train.slow=1:3", "exchange.workers=2"}), "accepted");
}

}  // namespace exchange_keys_test
}  // namespace trireme::train
