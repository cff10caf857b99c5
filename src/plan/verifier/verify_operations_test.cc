// Plans of operations other than sums that are wrong in one way each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_test_util.h"
#include "plan/verifier/verify.h"

namespace trireme::plan::verifier {
namespace {

using testing::HasSubstr;

std::string said(const HandMade& made) { return in_words(verify(made.plan())); }

HandMade a_plan(Operation operation, std::int32_t n, std::int64_t p, Rank root = 0) {
  return HandMade(operation_of(operation, default_strategy(operation), n, p, root));
}

TEST(VerifyOperations, FindsABroadcastThatLeavesSomebodyOut) {
  HandMade made = a_plan(Operation::kBroadcast, 3, 4, 1);
  made.message(0, 1, 0, {0, 4}, Action::kCopy);
  EXPECT_EQ(
      said(made),
      "step 1 of broadcast by tree, rank 2, the whole buffer: the result lacks the contribution of rank 1\n");
}

TEST(VerifyOperations, FindsABroadcastFromSomebodyElse) {
  HandMade made = a_plan(Operation::kBroadcast, 2, 4, 1);
  made.message(0, 0, 1, {0, 4}, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("rank 0, the whole buffer: reads what was never written"));
}

TEST(VerifyOperations, FindsAChunkThatIsAddedAndNotCopied) {
  HandMade made = a_plan(Operation::kScatter, 2, 2);
  made.message(0, 0, 1, {1, 1}, Action::kAdd);
  EXPECT_THAT(said(made), HasSubstr("rank 1, chunk 1: is added to what was never written"));
}

TEST(VerifyOperations, FindsAGatherOfTheWrongWorkersData) {
  HandMade made = a_plan(Operation::kGather, 3, 3);
  // Rank 1 gets chunk 2 and passes it on, but rank 2 has sent only chunk 2.
  made.message(0, 2, 1, {2, 1}, Action::kCopy).message(1, 1, 0, {1, 2}, Action::kCopy);
  EXPECT_EQ(said(made), "");
  HandMade wrong = a_plan(Operation::kGather, 3, 3);
  wrong.message(0, 1, 0, {1, 1}, Action::kCopy);
  EXPECT_EQ(said(wrong),
            "step 1 of gather by direct, rank 0, chunk 2: the result lacks the contribution of rank 2\n");
}

TEST(VerifyOperations, FindsASumInPlaceOfAContribution) {
  HandMade made = a_plan(Operation::kAllGather, 2, 2);
  made.message(0, 0, 1, {0, 1}, Action::kCopy)
      .message(0, 1, 0, {1, 1}, Action::kCopy)
      .message(1, 0, 1, {0, 1}, Action::kAdd);
  EXPECT_THAT(said(made),
              HasSubstr("rank 1, chunk 0: the result has a sum in place of the contribution of rank 0"));
}

TEST(VerifyOperations, FindsWhatArrivesAndIsOfNoUse) {
  HandMade made = a_plan(Operation::kScatter, 3, 3);
  made.message(0, 0, 1, {1, 2}, Action::kCopy).message(1, 0, 2, {2, 1}, Action::kCopy);
  EXPECT_EQ(said(made),
            "step 1 of scatter by direct, rank 1, chunks 1–2: superfluous: is no part of the result and "
            "never sent\n");
}

TEST(VerifyOperations, FindsWhatIsThereAlready) {
  HandMade made = a_plan(Operation::kBroadcast, 2, 2);
  made.message(0, 0, 1, {0, 2}, Action::kCopy).message(1, 1, 0, {0, 2}, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("rank 0, the whole buffer: superfluous: writes what is there already"));
}

TEST(VerifyOperations, FindsASumThatIsNotComplete) {
  HandMade made = a_plan(Operation::kReduceScatter, 2, 2);
  made.message(0, 0, 1, {1, 1}, Action::kAdd).message(0, 1, 0, {0, 1}, Action::kAdd, {.completes = true});
  EXPECT_EQ(
      said(made),
      "step 1 of reduce-scatter by direct, rank 1, chunk 1: the result has everybody's contribution, but "
      "nobody completed it\n");
}

TEST(VerifyOperations, FindsAReduceScatterInAnotherOrder) {
  HandMade made = a_plan(Operation::kReduceScatter, 3, 1);  // chunk 2 alone is not empty
  made.message(0, 1, 2, {0, 1}, Action::kAdd).message(1, 0, 2, {0, 1}, Action::kAdd, {.completes = true});
  EXPECT_THAT(said(made), HasSubstr("the result was added up in another order than promised"));
}

TEST(VerifyOperations, FindsAChunkOfTheWrongRow) {
  HandMade made =
      a_plan(Operation::kAllToAll, 2, 2);  // rank 0 gets elements 0 and 2, rank 1 elements 1 and 3
  made.message(0, 0, 1, {1, 1}, Action::kCopy).message(0, 1, 0, {3, 1}, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("rank 0, chunk 0 of row 1: the result lacks the contribution of rank 1"));
  EXPECT_THAT(said(made), HasSubstr("rank 0, chunk 1 of row 1: superfluous"));
}

TEST(VerifyOperations, FindsASliceBeyondTheRows) {
  HandMade made = a_plan(Operation::kAllToAll, 2, 2);
  made.message(0, 0, 1, {4, 1}, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("rank 0, 1 elements from 4: there is no such step or slice"));
}

}  // namespace
}  // namespace trireme::plan::verifier
