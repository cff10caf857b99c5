#include "base/error.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace trireme {
namespace {

using namespace std::chrono_literals;

Failure everything_known() {
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.what = "rank 1 did not answer";
  failure.rank = 0;
  failure.peer = 1;
  failure.op_id = 42;
  failure.op = "step 3 of ring: receive chunk 2 from rank 1";
  failure.elapsed = 1500ms;
  failure.hint = "look at the output of rank 1";
  return failure;
}

TEST(Error, SaysAllThatIsKnownInOneLine) {
  EXPECT_EQ(to_string(everything_known()),
            "rank 0: step 3 of ring: receive chunk 2 from rank 1: rank 1 did not answer (after 1.500 s); "
            "look at the "
            "output of rank 1");
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  Failure failure;
  failure.what = "something is wrong";
  EXPECT_EQ(to_string(failure), "something is wrong");
  failure.hint = "try again";
  EXPECT_EQ(to_string(failure), "something is wrong; try again");
  failure.rank = 7;
  EXPECT_EQ(to_string(failure), "rank 7: something is wrong; try again");
  failure.hint.clear();
  failure.elapsed = 0ns;
  EXPECT_EQ(to_string(failure), "rank 7: something is wrong (after 0.000 s)");
}

TEST(Error, IsAnExceptionWithTheSameWordsAndAllItsFields) {
  try {
    throw Error(everything_known());
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), to_string(everything_known()));
    const auto* ours = dynamic_cast<const Error*>(&error);
    ASSERT_NE(ours, nullptr);
    EXPECT_EQ(ours->failure().cause, Failure::Cause::kTimeout);
    EXPECT_EQ(ours->failure().peer, 1);
    EXPECT_EQ(ours->failure().op_id, 42);
    EXPECT_EQ(ours->failure().elapsed, 1500ms);
  }
}

TEST(Error, SurvivesBeingCopiedAfterTheOriginalIsGone) {
  static_assert(std::is_copy_constructible_v<Error>);
  std::optional<Error> copy;
  {
    const Error original(everything_known());
    copy = original;
  }
  EXPECT_EQ(copy->what(), to_string(everything_known()));
}

TEST(Error, BadInputIsSomethingAPersonCanCorrect) {
  const Error error = bad_input("there cannot be -1 parameters", "give a number that is not negative");
  EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
  EXPECT_EQ(error.failure().hint, "give a number that is not negative");
  EXPECT_STREQ(error.what(), "there cannot be -1 parameters; give a number that is not negative");
  EXPECT_STREQ(bad_input("no").what(), "no");
}

}  // namespace
}  // namespace trireme
