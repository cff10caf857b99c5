#include "report/mode_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::report {
namespace {

using plan::Mode;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ModeWords, SayWhoWaitsForWhom) {
  EXPECT_THAT(mode_words({Mode::Kind::kAsync}, 4, 2), StartsWith("no worker waits for another"));
  EXPECT_THAT(mode_words({Mode::Kind::kSsp, 1}, 4, 2), HasSubstr("at most 1 update ahead of the slowest"));
  EXPECT_THAT(mode_words({Mode::Kind::kBackup, 1}, 4, 2),
              StartsWith("a round takes the first 3 of 4 gradients and drops the late one;"));
  EXPECT_THAT(mode_words({Mode::Kind::kBackup, 2}, 1200, 2),
              StartsWith("a round takes the first 1,198 of 1,200 gradients and drops the 2 late ones;"));
}

TEST(ModeWords, CountTheMessagesOfEachUpdate) {
  EXPECT_THAT(mode_words({Mode::Kind::kAsync}, 4, 6),
              HasSubstr("each of the 4 workers does this by itself, with 6 messages each time"));
  EXPECT_THAT(mode_words({Mode::Kind::kAsync}, 1, 6), HasSubstr("the worker does this by itself"));
  EXPECT_THAT(mode_words({Mode::Kind::kBackup, 1}, 4, 6), HasSubstr("does this in each round"));
}

}  // namespace
}  // namespace trireme::report
