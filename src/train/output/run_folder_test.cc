#include "train/output/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "checkpoint/saving.h"
#include "data/data_test_util.h"

namespace trireme::train {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(RunFolder, HoldsTheConfigurationTheMetricsAndTheSummary) {
  const ScratchFolder above;
  const std::string folder = above.path() / "runs/a";
  prepare_run_folder(folder);
  RunFolder run(folder, "[model]\nkind = \"mlp\"\n");
  run.add_metrics({{"step", 1}, {"loss", 2.5}});
  EXPECT_EQ(content(folder + "/metrics.jsonl"), "{\"step\":1,\"loss\":2.5}\n");
  run.add_metrics({{"step", 2}, {"loss", 2.25}});
  run.finish({{"steps", 2}});
  EXPECT_EQ(content(folder + "/config.toml"), "[model]\nkind = \"mlp\"\n");
  EXPECT_EQ(content(folder + "/metrics.jsonl"), "{\"step\":1,\"loss\":2.5}\n{\"step\":2,\"loss\":2.25}\n");
  EXPECT_EQ(report::Json::parse(content(folder + "/summary.json")).at("steps"), 2);
}

TEST(RunFolder, KeepsAConfigurationThatNoTrainingHasWritten) {
  for (const char* name : {"config.toml", "metrics.jsonl", "schedule.jsonl"}) {
    const ScratchFolder above;
    const std::string folder = above.path() / "a";
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/" + name) << "mine";
    const std::string refusal = data::refusal_of([&] { return take_run_folder(folder, 0).get(); });
    EXPECT_THAT(refusal, HasSubstr(std::string("/a has a ") + name + " that no training has written; take"));
    EXPECT_EQ(content(folder + "/" + name), "mine");
    EXPECT_FALSE(std::filesystem::exists(folder + "/.lock"));
  }
}

TEST(RunFolder, KeepsTheScheduleUpToTheStepAfterWhichItGoesOn) {
  const ScratchFolder above;
  const auto write = [](int gradient) { return "{\"gradient\":" + std::to_string(gradient) + "}\n"; };
  const std::string file = above.path() / "schedule.jsonl";
  RunFolder run(above.path(), "");
  run.add_schedule("first\n", write(0) + write(1), 2);
  run.add_schedule("first\n", write(2), 2);
  EXPECT_EQ(content(file), "first\n" + write(0) + write(1) + write(2));
  RunFolder again(above.path(), "", 1);
  again.add_schedule("first\n", write(3), 2);
  EXPECT_EQ(content(file), "first\n" + write(0) + write(1) + write(3));
  RunFolder otherwise(above.path(), "", 1);
  otherwise.add_schedule("second\n", write(4), 2);
  EXPECT_EQ(content(file), "second\n" + write(4));
}

TEST(RunFolder, ThatTakesNoMoreMetricsSaysWhatToDo) {
  const ScratchFolder above;
  RunFolder run(above.path(), "");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string said;
  try {
    run.add_metrics({{"step", 1}, {"loss", 2.5}});
  } catch (const Error& error) {
    said = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(said,
              EndsWith("/metrics.jsonl: File too large; make room there, or take a folder on another disk: "
                       "--out"));
}

TEST(RunFolder, IsNotWrittenOver) {
  const ScratchFolder above;
  const std::string folder = above.path() / "a";
  prepare_run_folder(folder);
  RunFolder(folder, "").finish({{"steps", 2}});
  std::filesystem::create_directory(folder + "-2");
  const std::string refusal = data::refusal_of([&] {
    prepare_run_folder(folder);
    return 0;
  });
  EXPECT_THAT(refusal, HasSubstr("/a holds a training already; take another folder, such as "));
  EXPECT_THAT(refusal, EndsWith("/a-3"));
}

TEST(RunFolder, OfATrainingThatDidNotEndIsTakenAgain) {
  const ScratchFolder above;
  {
    const Fd lock = take_run_folder(above.path(), 0);
    RunFolder(above.path(), "first").add_metrics({{"step", 1}});
  }
  const Fd lock = take_run_folder(above.path(), 0);
  const RunFolder again(above.path(), "second");
  EXPECT_EQ(content(above.path() / "config.toml"), "second");
  EXPECT_EQ(content(above.path() / "metrics.jsonl"), "");
}

TEST(RunFolder, OfATrainingThatGoesOnKeepsItsMetricsUpToThere) {
  const ScratchFolder above;
  prepare_run_folder(above.path());
  {
    RunFolder run(above.path(), "first");
    for (const int step : {1, 5, 6, 7}) run.add_metrics({{"step", step}});
    run.finish({{"steps", 7}});
  }
  std::ofstream(above.path() / "metrics.jsonl", std::ios::app) << "{\"step\":3";  // cut off by SIGKILL
  EXPECT_NE(data::refusal_of([&] { return prepare_run_folder(above.path()), 0; }), "accepted");
  prepare_run_folder(above.path(), RunStart::kGoesOn);
  RunFolder run(above.path(), "second", 6);
  EXPECT_FALSE(std::filesystem::exists(above.path() / "summary.json"));
  run.add_metrics({{"step", 7}});
  EXPECT_EQ(content(above.path() / "metrics.jsonl"),
            "{\"step\":1}\n{\"step\":5}\n{\"step\":6}\n{\"step\":7}\n");
  EXPECT_EQ(content(above.path() / "config.toml"), "second");
}

TEST(RunFolder, WithCheckpointsIsNotWrittenOver) {
  const ScratchFolder above;
  {
    const Fd lock = take_run_folder(above.path(), 0);
    checkpoint::Saving saving(above.path(), 40);
    checkpoint::State state;
    state.step = 40;
    saving.write_state(state);
    saving.write_config("");
    saving.finish();
  }
  EXPECT_THAT(
      data::refusal_of([&] { return prepare_run_folder(above.path()), 0; }),
      AllOf(HasSubstr("holds checkpoints of a training, the newest of step 40; go on with it: --resume "),
            HasSubstr("take another folder")));
}

TEST(RunFolder, IsNotWrittenThroughALink) {
  const ScratchFolder above;
  const std::string precious = above.write("precious", "precious");
  for (const char* const name : {"metrics.jsonl", "config.toml", "summary.json"}) {
    const std::filesystem::path folder = above.path() / "of" / name;
    prepare_run_folder(folder);
    std::filesystem::create_symlink(precious, folder / name);
    const std::string refusal = data::refusal_of([&] {
      RunFolder(folder, "config").finish({{"steps", 2}});
      return 0;
    });
    EXPECT_THAT(refusal, HasSubstr(std::string(name) + ": it is a symbolic link, and none is followed"));
  }
  EXPECT_EQ(content(precious), "precious");
}

}  // namespace
}  // namespace trireme::train
