#include "launch/ssh/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/launch_test_util.h"

namespace trireme::launch::ssh {
namespace {

TEST(ShellWords, AreCutAtSpaces) {
  EXPECT_THAT(split_words(" ssh  -p 2222 "), ::testing::ElementsAre("ssh", "-p", "2222"));
  EXPECT_TRUE(split_words("  ").empty());
}

TEST(ShellWords, AreReadBackByAShellAsTheyWere) {
  const std::string word = "it's $HOME \"quoted\" \\ `x` * ";
  EXPECT_EQ(run_caught({.prefix = false}, shell("printf '%s' " + shell_quoted(word))).out, word + "\n");
}

}  // namespace
}  // namespace trireme::launch::ssh
