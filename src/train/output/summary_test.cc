#include "train/output/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::train {
namespace {

using testing::HasSubstr;

TrainSummary some_summary() {
  TrainSummary summary;
  summary.workers = 4;
  summary.strategy = "ring";
  summary.wire = "shm";
  summary.steps = 704;
  summary.samples_per_s = 1590.7;
  summary.seconds = 57.26;
  summary.start_s = 1.5;
  summary.loss = 0.23456;
  summary.test_loss = 0.31;
  summary.test_accuracy = 0.90125;
  summary.messages = summary.messages_planned = 16'896;
  summary.bytes = summary.bytes_planned = 7'120'000'000;
  summary.other_messages = 12;
  summary.other_bytes = 3456;
  summary.time = {50, 2.5, 1, 1.5};
  summary.weights_sha256 = "0123";
  return summary;
}

TEST(TrainSummary, TellsPeopleInAFewLines) {
  EXPECT_EQ(
      to_text(some_summary()),
      "test accuracy 90.12 %, test loss 0.3100; training loss 0.2346 after 704 steps\n"
      "1,590 samples/s with 4 workers after the first 10 steps; 57.3 s in all\n"
      "sent: 16,896 messages, 7.12 GB, as planned\n"
      "\n"
      "time of a worker      seconds   share\n"
      "compute                 50.00  90.9 %\n"
      "exchange, not hidden     2.50   4.5 %\n"
      "data                     1.00   1.8 %\n"
      "update                   1.50   2.7 %\n"
      "evaluation               0.00   0.0 %\n"
      "the weights are gone: --out RUNDIR keeps checkpoints, --save FILE.safetensors the weights alone\n");
}

TEST(TrainSummary, EndsWithWhatWasKept) {
  TrainSummary summary = some_summary();
  summary.checkpoint = "run1/checkpoints/step-704";
  summary.time.saving = 1;
  EXPECT_THAT(to_text(summary), testing::EndsWith("\nsaving                   1.00   1.8 %\n"
                                                  "checkpoint: run1/checkpoints/step-704\n"));
  summary.weights = "a.safetensors";
  EXPECT_THAT(to_text(summary),
              testing::EndsWith("\nweights: a.safetensors; checkpoint: run1/checkpoints/step-704\n"));
  summary.checkpoint = "";
  EXPECT_THAT(to_text(summary), testing::EndsWith("\nweights: a.safetensors\n"));
  EXPECT_EQ(to_json(some_summary())["checkpoint"], nullptr);
}

TEST(TrainSummary, OfNumbersHasNoAccuracy) {
  TrainSummary summary = some_summary();
  summary.test_accuracy = {};
  EXPECT_THAT(to_text(summary), HasSubstr("test accuracy -, test loss 0.3100; "));
  EXPECT_THAT(to_json(summary).dump(), HasSubstr(R"("test_loss":0.31,"test_accuracy":null,)"));
}

TEST(TrainSummary, SaysWhereWireAndPlanDiffer) {
  TrainSummary summary = some_summary();
  summary.messages = 16'895;
  EXPECT_FALSE(summary.as_planned());
  EXPECT_THAT(to_text(summary),
              HasSubstr("sent: 16,895 messages, 7.12 GB; planned: 16,896 messages, 7.12 GB\n"));
}

TEST(TrainSummary, TellsProgramsEverything) {
  EXPECT_EQ(
      to_json(some_summary()).dump(),
      R"({"interrupted":false,"workers":4,"servers":0,"strategy":"ring","wire":"shm","steps":704,)"
      R"("samples_per_s":1590.7,"seconds":57.26,"start_s":1.5,"loss":0.23456,"test_loss":0.31,)"
      R"("test_accuracy":0.90125,"messages":16896,"messages_planned":16896,)"
      R"("bytes":7120000000,"bytes_planned":7120000000,"other":{"messages":12,"bytes":3456},)"
      R"("time":{"compute_s":50.0,"exchange_exposed_s":2.5,"data_s":1.0,"update_s":1.5,"evaluation_s":0.0,"saving_s":0.0},)"
      R"("weights_sha256":"0123","checkpoint":null})");
}

TrainSummary summary_of_async() {
  TrainSummary summary = some_summary();
  summary.servers = 2;
  summary.free =
      FreeSummary{.mode = "async", .staleness = {{0, 2}, {1, 3}, {4, 1}}, .updates = 3, .duplicates = 2};
  summary.placement = {{.rank = 4, .elements = 2, .variables = {"w"}}};
  return summary;
}

TEST(TrainSummary, TellsStalenessWhereWorkersDoNotWait) {
  EXPECT_THAT(to_text(summary_of_async()),
              HasSubstr("\nmode async: 3 gradients applied; staleness 1.17 on average, at most 4\nsent: "));
  TrainSummary summary = summary_of_async();
  summary.free->mode = "backup:1";
  summary.free->dropped = 1234;
  EXPECT_THAT(to_text(summary), HasSubstr("\nmode backup:1: 3 gradients applied, 1,234 dropped; staleness "));
}

TEST(TrainSummary, TellsProgramsTheHistogramOfStaleness) {
  EXPECT_THAT(
      to_json(summary_of_async()).dump(),
      HasSubstr(
          R"("placement":[{"share":0,"server":"S1","rank":4,"variables":["w"],"bytes":8,"busiest":true}],)"
          R"("mode":"async","updates":3,"dropped":0,"duplicates":2,)"
          R"("staleness":{"mean":1.1666666666666667,"max":4,"histogram":[2,3,0,0,1]}})"));
}

TEST(TrainSummary, OfNoUpdatesHasNoStaleness) {
  TrainSummary summary = some_summary();
  summary.free = FreeSummary{.mode = "ssp:1"};
  EXPECT_THAT(to_text(summary),
              HasSubstr("mode ssp:1: 0 gradients applied; staleness 0.00 on average, at most 0\n"));
  EXPECT_THAT(to_json(summary).dump(), HasSubstr(R"("staleness":{"mean":0.0,"max":0,"histogram":[0]})"));
}

TEST(TrainSummary, OfAnInterruptedTrainingIsWhatWasReached) {
  TrainConfig config;
  config.exchange.workers = 2;
  EXPECT_EQ(
      interrupted_json(config, {.steps = 12, .planned = 700, .samples_per_s = 2.5, .seconds = 3, .loss = 0.5},
                       "run1/checkpoints/step-12")
          .dump(),
      R"({"interrupted":true,"workers":2,"servers":0,"steps":12,"steps_planned":700,)"
      R"("samples_per_s":2.5,"seconds":3.0,"loss":0.5,"checkpoint":"run1/checkpoints/step-12"})");
  EXPECT_EQ(interrupted_json(config, {}, "").dump(),
            R"({"interrupted":true,"workers":2,"servers":0,"steps":0,"steps_planned":null,)"
            R"("samples_per_s":null,"seconds":null,"loss":null,"checkpoint":null})");
}

TEST(TrainSummary, OfNoTimeHasNoShares) {
  EXPECT_THAT(to_text(TrainSummary()), HasSubstr("compute                  0.00  0.0 %\n"));
}

}  // namespace
}  // namespace trireme::train
