// Plans in which every message arrives, but the result is wrong or something is superfluous.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/verify.h"

namespace trireme::plan::verifier {
namespace {

using testing::HasSubstr;

constexpr Slice kAll{0, 1};  // of buffers of one element
constexpr Source kOwn{};

PlanSpec tree_of(std::int32_t n) { return spec_of(Strategy::kTree, n, 1); }

std::string said(const HandMade& made) { return in_words(verify(made.plan())); }

TEST(VerifyResults, FindsAServerThatSendsWhatItNeverGot) {
  HandMade made(with_servers(1, 1, 1));
  made.message(0, 1, 0, kAll, Action::kCopy);
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of parameter-server, rank 1, the whole buffer: reads what was never "
                        "written"));
}

TEST(VerifyResults, FindsAnAdditionToAServersEmptyBuffer) {
  HandMade made(with_servers(1, 1, 1));
  made.message(0, 0, 1, kAll, Action::kAdd, {.completes = true}).message(1, 1, 0, kAll, Action::kCopy);
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of parameter-server, rank 1, the whole buffer: is added to what was "
                        "never written"));
}

TEST(VerifyResults, FindsAFoldOfRoomThatIsFilledLater) {
  HandMade made(tree_of(2));
  made.room(0, 1)
      .fold(0, 0, kAll, {kOwn, {1, 0}}, true)
      .message(1, 1, 0, kAll, Action::kKeep)
      .message(2, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of tree, rank 0, the whole buffer: reads what was never written"));
}

TEST(VerifyResults, FindsAnotherOrderOfAddition) {
  HandMade made(tree_of(3));
  made.message(0, 2, 0, kAll, Action::kAdd)
      .message(1, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(2, 0, 2, kAll, Action::kCopy)
      .message(3, 0, 1, kAll, Action::kCopy);
  for (const Rank node : {0, 1, 2}) {
    EXPECT_THAT(said(made),
                HasSubstr(fmt::format("rank {}, the whole buffer: the result was added up in another "
                                      "order than promised",
                                      node)));
  }
}

TEST(VerifyResults, TheTwoSummandsOfOneAdditionMayChangePlaces) {
  HandMade made(tree_of(2));
  made.room(0, 1)
      .message(0, 1, 0, kAll, Action::kKeep)
      .fold(0, 0, kAll, {{1, 0}, kOwn}, true)
      .message(1, 0, 1, kAll, Action::kCopy);
  EXPECT_EQ(said(made), "");
}

TEST(VerifyResults, FindsAContributionThatIsInTwice) {
  HandMade made(tree_of(2));
  made.message(0, 1, 0, kAll, Action::kAdd)
      .message(1, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(2, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(made),
              HasSubstr("step 3 of tree, rank 0, the whole buffer: the result has the contribution of "
                        "rank 1 2 times"));
  EXPECT_THAT(said(made),
              HasSubstr("step 3 of tree, rank 1, the whole buffer: the result has the contribution of "
                        "rank 1 2 times"));
}

TEST(VerifyResults, FindsAContributionThatIsMissing) {
  HandMade made(tree_of(3));
  made.message(1, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(2, 0, 2, kAll, Action::kCopy)
      .message(3, 0, 1, kAll, Action::kCopy);
  for (const Rank node : {0, 1, 2}) {
    EXPECT_THAT(said(made),
                HasSubstr(fmt::format(
                    "rank {}, the whole buffer: the result lacks the contribution of rank 2", node)));
  }
}

TEST(VerifyResults, FindsAWorkerThatIsLeftOut) {
  HandMade made(tree_of(2));
  made.message(0, 1, 0, kAll, Action::kAdd, {.completes = true});
  EXPECT_THAT(said(made), HasSubstr("rank 1, the whole buffer: the result lacks the contribution of rank 0"));
}

TEST(VerifyResults, NamesOnlyThePartThatIsWrong) {
  HandMade made(spec_of(Strategy::kTree, 2, 8));
  made.message(0, 1, 0, {0, 8}, Action::kAdd, {.completes = true}).message(1, 0, 1, {0, 6}, Action::kCopy);
  EXPECT_EQ(said(made),
            "step 2 of tree, rank 1, elements 6–7: the result lacks the contribution of rank 0\n");
}

// Rank 1 has its memory cut at element 1 when a message with three sums arrives, cut at 2 and 4.
TEST(VerifyResults, NamesOnlyWhatIsWrongWhereMemoryIsCutInSeveralWays) {
  constexpr Slice kWhole{0, 6};
  HandMade made(spec_of(Strategy::kAllToAll, 3, 6));
  made.room(0, 12)
      .message(0, 1, 0, kWhole, Action::kKeep)
      .message(0, 2, 0, kWhole, Action::kKeep, {.room = 6})
      .fold(0, 0, kWhole, {kOwn, {1, 0}, {2, 6}}, true)
      .message(1, 1, 2, {0, 1}, Action::kCopy)
      .message(2, 0, 1, kWhole, Action::kCopy)
      .message(3, 0, 2, {2, 4}, Action::kCopy);
  made.program(0).ops[2].by_chunk = true;
  EXPECT_EQ(said(made),
            "step 4 of all-to-all, rank 2, element 0: the result lacks the contribution of rank 0\n"
            "step 4 of all-to-all, rank 2, element 0: the result lacks the contribution of rank 2\n"
            "step 4 of all-to-all, rank 2, element 1: the result lacks the contribution of rank 0\n"
            "step 4 of all-to-all, rank 2, element 1: the result lacks the contribution of rank 1\n");
}

TEST(VerifyResults, FindsASumThatNobodyCompletes) {
  HandMade made(tree_of(2));
  made.message(0, 1, 0, kAll, Action::kAdd).message(1, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("step 2 of tree, rank 0, the whole buffer: the result has everybody's "
                                    "contribution, but nobody completed it"));
}

TEST(VerifyResults, FindsASumThatIsCompletedTwice) {
  HandMade made(tree_of(3));
  made.message(0, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(1, 2, 0, kAll, Action::kAdd, {.completes = true})
      .message(2, 0, 2, kAll, Action::kCopy)
      .message(3, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(
      said(made),
      HasSubstr("step 2 of tree, rank 0, the whole buffer: goes on adding to a sum that was complete"));
}

TEST(VerifyResults, FindsAFoldThatOnlyCompletesAgain) {
  HandMade made(tree_of(2));
  made.message(0, 1, 0, kAll, Action::kAdd, {.completes = true})
      .fold(1, 0, kAll, {kOwn}, true)
      .message(2, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(
      said(made),
      HasSubstr("step 2 of tree, rank 0, the whole buffer: goes on adding to a sum that was complete"));
}

TEST(VerifyResults, FindsASuperfluousCopy) {
  HandMade made(tree_of(2));
  made.message(0, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(1, 0, 1, kAll, Action::kCopy)
      .message(2, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(
      said(made),
      HasSubstr("step 3 of tree, rank 1, the whole buffer: superfluous: writes what is there already"));
}

TEST(VerifyResults, FindsAFoldThatChangesNothing) {
  HandMade made(tree_of(2));
  made.fold(0, 0, kAll, {kOwn})
      .message(1, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(2, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("step 1 of tree, rank 0, the whole buffer: superfluous"));
}

TEST(VerifyResults, FindsASourceThatIsCalledAnothers) {
  for (const Rank called : {0, 2}) {
    HandMade made(tree_of(3));
    made.room(0, 1)
        .message(0, 1, 0, kAll, Action::kKeep)
        .fold(0, 0, kAll, {kOwn, {called, 0}})
        .message(1, 2, 0, kAll, Action::kAdd, {.completes = true});
    EXPECT_THAT(said(made), HasSubstr("step 1 of tree, rank 0, the whole buffer: takes rank 1's contribution "
                                      "for rank " +
                                      std::to_string(called) + "'s"));
  }
  HandMade own(tree_of(2));
  own.room(0, 1)
      .message(0, 1, 0, kAll, Action::kKeep)
      .fold(0, 0, kAll, {{1, Source::kOwn}, {1, 0}}, true)
      .message(1, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(own), HasSubstr("takes rank 0's contribution for rank 1's"));
}

// Two workers keep and add up each other's wrong half: every contribution once, but of other elements.
TEST(VerifyResults, FindsElementsThatAreAddedUpInThePlaceOfOthers) {
  Plan plan = make_plan(spec_of(Strategy::kDirect, 2, 4));
  for (Program& program : plan.programs) {
    for (Op& op : program.ops) {
      if (op.step == 0 && op.kind != OpKind::kFold) op.slice.first = 2 - op.slice.first;
    }
  }
  EXPECT_THAT(in_words(verify(plan)),
              HasSubstr("step 1 of direct, rank 0, chunk 0: adds up other elements of "
                        "rank 1 in their place"));
}

TEST(VerifyResults, FindsWhatIsKeptAndNeverAddedUp) {
  HandMade made(tree_of(2));
  made.room(1, 1)
      .message(0, 1, 0, kAll, Action::kAdd, {.completes = true})
      .message(1, 0, 1, kAll, Action::kCopy)
      .message(2, 0, 1, kAll, Action::kKeep);
  EXPECT_THAT(said(made),
              HasSubstr("step 3 of tree, rank 1, the whole buffer: superfluous: is put aside and never "
                        "added up"));
}

TEST(VerifyResults, FindsWhatArrivesAndIsOverwrittenUnread) {
  HandMade made(tree_of(2));
  made.message(0, 0, 1, kAll, Action::kCopy)
      .message(1, 1, 0, kAll, Action::kCopy)
      .message(2, 0, 1, kAll, Action::kCopy);
  // Rank 1 forwards what it received, so only rank 0's last message is superfluous.
  EXPECT_THAT(said(made), HasSubstr("superfluous"));

  HandMade twice(tree_of(3));
  twice
      .message(0, 1, 2, kAll, Action::kCopy)  // never read
      .message(1, 0, 2, kAll, Action::kCopy);
  EXPECT_THAT(said(twice),
              HasSubstr("step 2 of tree, rank 2, the whole buffer: overwrites what arrived and was "
                        "never read: superfluous"));
}

TEST(VerifyResults, FindsRoomThatIsOverwrittenUnread) {
  HandMade made(tree_of(3));
  made.room(0, 1)
      .message(0, 1, 0, kAll, Action::kKeep)
      .message(1, 2, 0, kAll, Action::kKeep)
      .fold(1, 0, kAll, {kOwn, {2, 0}}, true);
  EXPECT_THAT(said(made),
              HasSubstr("step 2 of tree, rank 0, the whole buffer: overwrites what arrived and was "
                        "never read: superfluous"));
}

TEST(VerifyResults, FindsWhatAServerMakesAndNobodyGets) {
  HandMade made(with_servers(1, 1, 1));
  made.room(1, 1).message(0, 0, 1, kAll, Action::kUpdate).fold(0, 1, kAll, {{0, 0}}, true);
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of parameter-server, rank 1, the whole buffer: superfluous: is made and "
                        "never sent"));
}

TEST(VerifyResults, FindsACompletionWhereNoSumIsMade) {
  for (const bool at_the_send : {false, true}) {
    HandMade made(tree_of(2));
    made.message(0, 1, 0, kAll, Action::kAdd, {.completes = true})
        .message(1, 0, 1, kAll, Action::kCopy, {.completes = !at_the_send});
    if (at_the_send) made.program(0).ops.back().completes = true;
    EXPECT_THAT(said(made), HasSubstr("completes a sum where none is made")) << "a runner would divide twice";
  }
}

}  // namespace
}  // namespace trireme::plan::verifier
