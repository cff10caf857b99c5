#include "checkpoint/saving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/scratch_folder_test_util.h"
#include "checkpoint/checkpoint_test_util.h"
#include "checkpoint/full_disk_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Saving, CompletesACheckpoint) {
  const ScratchFolder run;
  EXPECT_EQ(save_small(run.path(), 7), run.path() / "checkpoints" / "step-7");
  EXPECT_THAT(names_in(run.path() / "checkpoints"), ElementsAre("step-7"));
  EXPECT_THAT(names_in(run.path() / "checkpoints" / "step-7"),
              ElementsAre("DONE", "config.toml", "rule-0.safetensors", "rule-1.safetensors", "state.json",
                          "weights.safetensors"));
  EXPECT_TRUE(is_small_checkpoint(Saved::open(run.path())));
}

TEST(Saving, MakesTheFolderOfTheRun) {
  const ScratchFolder scratch;
  const std::filesystem::path run = scratch.path() / "runs" / "first";
  save_small(run, 7);
  EXPECT_TRUE(is_small_checkpoint(Saved::open(run)));
}

TEST(Saving, ThatIsNotFinishedLeavesNothing) {
  const ScratchFolder run;
  {
    Saving saving(run.path(), 7);
    write_small_checkpoint(saving, 7);
    EXPECT_THAT(names_in(run.path() / "checkpoints"), ElementsAre(".step-7.saving"));
    EXPECT_TRUE(list_checkpoints(run.path()).empty());
  }
  EXPECT_THAT(names_in(run.path() / "checkpoints"), ElementsAre());
}

TEST(Saving, TidiesUpWhatKilledOnesLeft) {
  const ScratchFolder run;
  save_small(run.path(), 5);
  std::filesystem::create_directories(saving_folder(run.path(), 7) / "a");
  std::filesystem::create_directories(saving_folder(run.path(), 6));
  save_small(run.path(), 7);
  EXPECT_THAT(names_in(run.path() / "checkpoints"), ElementsAre("step-5", "step-7"));
}

TEST(Saving, ReplacesACheckpointOfTheSameStep) {
  const ScratchFolder run;
  const std::filesystem::path folder = save_small(run.path(), 7);
  std::filesystem::remove(folder / kWeightsFile);
  ASSERT_FALSE(list_checkpoints(run.path()).front().is_complete());
  save_small(run.path(), 7);
  EXPECT_TRUE(is_small_checkpoint(Saved::open(run.path())));
  EXPECT_THAT(names_in(run.path() / "checkpoints"), ElementsAre("step-7"));
}

TEST(Saving, WithoutAFileThatIsListedIsRefused) {
  const ScratchFolder run;
  save_small(run.path(), 5);
  Saving saving(run.path(), 7);
  write_small_checkpoint(saving, 7);
  saving.add({"rule-2.safetensors", 100, 0});
  EXPECT_THAT(refusal([&] { return saving.finish(); }),
              HasSubstr("rule-2.safetensors: it is not there; write it into"));
  EXPECT_EQ(Saved::open(run.path()).step(), 5);
}

TEST(Saving, WithAFileOfAnotherSizeIsRefused) {
  const ScratchFolder run;
  Saving saving(run.path(), 7);
  write_small_checkpoint(saving, 7);
  std::filesystem::resize_file(saving.folder() / kWeightsFile, 10);
  EXPECT_THAT(refusal([&] { return saving.finish(); }),
              HasSubstr("weights.safetensors: it has 10 bytes, and 2"));
}

TEST(Saving, WithoutStateIsRefused) {
  const ScratchFolder run;
  Saving saving(run.path(), 7);
  saving.write_config("");
  EXPECT_THAT(refusal([&] { return saving.finish(); }), HasSubstr("state.json: it is not there"));
}

TEST(Saving, ThatCannotBeginFailsWithWords) {
  const ScratchFolder run;
  (void)run.write("checkpoints", "a file");
  EXPECT_THAT(refusal([&] { return Saving(run.path(), 7).folder(); }),
              StartsWith("cannot write " + (run.path() / "checkpoints").string()));
}

TEST(Saving, OnAFullDiskKeepsTheOlderCheckpoint) {
  const ScratchFolder run;
  const int status = on_small_disk(run.path(), 262144, [&] {
    save_small(run.path(), 7);
    for (std::int64_t step = 8; step < 100; ++step) {
      try {
        save_small(run.path(), step);
      } catch (const Error& error) {
        const bool is_told =
            std::string_view(error.what()).find("the disk is full") != std::string_view::npos &&
            error.failure().cause == Failure::Cause::kFailed;
        const Saved newest = Saved::open(run.path());
        if (!is_told || newest.step() != step - 1 || !is_small_checkpoint(newest)) return 1;
        // With room again it goes on.
        prune(run.path(), step, 1);
        save_small(run.path(), step);
        return is_small_checkpoint(Saved::open(run.path())) ? 0 : 2;
      }
    }
    return 3;
  });
  if (status == kNoSuchDisk) GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(Pruning, KeepsTheNewestCompleteOnes) {
  const ScratchFolder run;
  for (const std::int64_t step : {1, 2, 10, 9}) save_small(run.path(), step);
  std::filesystem::remove(step_folder(run.path(), 9) / kStateFile);
  EXPECT_THAT(prune(run.path(), 10, 2), ElementsAre(1));
  EXPECT_THAT(steps_in(run.path()), ElementsAre(10, 9, 2));
  EXPECT_THAT(prune(run.path(), 10, 2), ElementsAre());
}

TEST(Pruning, LeavesLaterOnesOfAnotherCourse) {
  const ScratchFolder run;
  for (const std::int64_t step : {1, 2, 3, 9}) save_small(run.path(), step);
  EXPECT_THAT(prune(run.path(), 3, 1), ElementsAre(2, 1));
  EXPECT_THAT(steps_in(run.path()), ElementsAre(9, 3));
  EXPECT_THAT(names_in(run.path() / "checkpoints"), ElementsAre("step-3", "step-9"));
}

}  // namespace
}  // namespace trireme::checkpoint
