#include "train/replayed_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/scratch_folder_test_util.h"

namespace trireme::train {
namespace replayed_schedule {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSchedule =
    "{\"schedule\":1,\"mode\":\"ssp:2\",\"workers\":3,\"servers\":2,\"staleness_rate\":\"none\"}\n"
    "{\"worker\":2,\"read\":0}\n";

// What a job of these settings takes from the schedule.
LoadedTrainConfig taken(const std::string& text, std::vector<std::string> sets = {}) {
  const ScratchFolder folder;
  sets.push_back("run.replay=\"" + folder.write("s.jsonl", text) + "\"");
  LoadedTrainConfig loaded = load_train_config({.sets = sets});
  take_schedule(loaded);
  return loaded;
}

std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    static_cast<void>(taken(text, sets));
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(AReplayedSchedule, SaysWorkersServersModeAndRates) {
  const TrainConfig::Exchange exchange = taken(kSchedule).config.exchange;
  EXPECT_EQ(exchange.workers, 3);
  EXPECT_EQ(exchange.servers, 2);
  EXPECT_EQ(to_string(exchange.mode), "ssp:2");
  EXPECT_EQ(exchange.strategy, "parameter-server");
  EXPECT_EQ(exchange.staleness_rate, "none");
}

TEST(AReplayedSchedule, IsWhereTheNumbersComeFrom) {
  EXPECT_EQ(taken(kSchedule).sources.at("exchange.workers"), "--replay");
}

TEST(AReplayedSchedule, MayAgreeWithWhatIsSaid) {
  EXPECT_EQ(refusal(kSchedule, {"exchange.workers=3", "exchange.strategy=parameter-server",
                                "exchange.mode=ssp:2", "exchange.servers=2"}),
            "accepted");
}

TEST(AReplayedSchedule, RefusesOtherNumbers) {
  EXPECT_EQ(
      refusal(kSchedule, {"exchange.workers=4"}),
      "exchange.workers is 4 (--set), and the schedule to be replayed has 3; leave it out, or replay another "
      "schedule");
  EXPECT_THAT(refusal(kSchedule, {"exchange.strategy=parameter-server", "exchange.mode=async"}),
              HasSubstr("exchange.mode is async (--set), and the schedule to be replayed has ssp:2"));
  EXPECT_THAT(refusal(kSchedule, {"exchange.strategy=ring"}), HasSubstr("exchange.strategy is ring (--set)"));
}

TEST(AReplayedSchedule, LetsRatesBeDividedInAnotherWay) {
  const LoadedTrainConfig loaded =
      taken(kSchedule, {"exchange.strategy=parameter-server", "exchange.staleness_rate=staleness"});
  EXPECT_EQ(loaded.config.exchange.staleness_rate, "staleness");
}

TEST(AReplayedSchedule, ThatIsNoneNamesFileAndLine) {
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":1}\n"),
              HasSubstr("s.jsonl, line 1: it reads version 1 of server 0, which is not written yet"));
  EXPECT_THAT(refusal("no schedule"), HasSubstr("s.jsonl, line 1: "));
}

TEST(AReplayedSchedule, ThatIsNotThereIsBadInput) {
  try {
    static_cast<void>(read_schedule_file("/nowhere/s.jsonl"));
    ADD_FAILURE() << "no complaint";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_THAT(error.what(), AllOf(StartsWith("cannot read /nowhere/s.jsonl: No such file or directory"),
                                    HasSubstr("trireme simulate --schedule")));
  }
}

TEST(AReplayedSchedule, ThatIsAFolderIsBadInput) {
  try {
    static_cast<void>(read_schedule_file("/tmp"));
    ADD_FAILURE() << "no complaint";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("cannot read /tmp: it is a folder; "));
  }
}

TEST(AReplayedSchedule, ChangesNothingWhereNoneIsReplayed) {
  LoadedTrainConfig loaded = load_train_config({});
  take_schedule(loaded);
  EXPECT_EQ(loaded.config, TrainConfig());
}

}  // namespace replayed_schedule
}  // namespace trireme::train
