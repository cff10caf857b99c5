#include "checkpoint/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::StartsWith;

TEST(Names, TellTheStep) {
  EXPECT_EQ(step_name(1200), "step-1200");
  EXPECT_EQ(step_of("step-1200"), 1200);
  EXPECT_EQ(step_of("step-0"), 0);
  for (const char* other : {"step-", "step-01", "step-+1", "step--1", "step-1x", "step-1 ", "Step-1", "step1",
                            "", "step-9223372036854775808"}) {
    EXPECT_EQ(step_of(other), std::nullopt) << other;
  }
}

TEST(Names, OfFoldersLieInTheRun) {
  EXPECT_EQ(step_folder("runs/a", 3), "runs/a/checkpoints/step-3");
  EXPECT_EQ(saving_folder("runs/a", 3), "runs/a/checkpoints/.step-3.saving");
  EXPECT_TRUE(is_saving_name(".step-3.saving"));
  EXPECT_FALSE(is_saving_name("step-3.saving"));
  EXPECT_FALSE(is_saving_name(".step-3"));
}

TEST(Names, OfFilesHaveNoPath) {
  EXPECT_EQ(rule_file(3), "rule-3.safetensors");
  EXPECT_EQ(own_file("ema.v2"), "own-ema.v2.safetensors");
  for (const char* name : {"", "a/b", "..", ".a", "DONE", "a b", "ä", "a\n"})
    EXPECT_FALSE(is_file_name(name)) << name;
  EXPECT_FALSE(is_file_name(std::string(101, 'a')));
  EXPECT_TRUE(is_file_name(own_file(std::string(64, 'a'))));
  EXPECT_THAT(refusal([] { return own_file("a/b"); }), StartsWith("'a/b' cannot be part of a file's name"));
  EXPECT_THAT(refusal([] { return own_file(""); }), StartsWith("'' cannot be"));
}

}  // namespace
}  // namespace trireme::checkpoint
