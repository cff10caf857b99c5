#include "checkpoint/shared_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/scratch_folder_test_util.h"
#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

TEST(Mark, IsSeenWhereItIsAndWhileItIsThere) {
  const ScratchFolder here;
  const ScratchFolder elsewhere;
  std::uint64_t token = 0;
  {
    const Mark mark(here.path());
    token = mark.token();
    EXPECT_TRUE(sees_mark(here.path(), token));
    EXPECT_FALSE(sees_mark(here.path(), token + 1));
    EXPECT_FALSE(sees_mark(elsewhere.path(), token));
    EXPECT_NE(Mark(here.path()).token(), token);
  }
  EXPECT_FALSE(sees_mark(here.path(), token));
  EXPECT_TRUE(std::filesystem::is_empty(here.path()));
}

TEST(Mark, ThatCannotBeLeftIsAnError) {
  EXPECT_THAT(refusal([] { return Mark("/no/folder").token(); }),
              testing::StartsWith("cannot write /no/folder/.mark-"));
}

}  // namespace
}  // namespace trireme::checkpoint
