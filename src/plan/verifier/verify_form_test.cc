// Plans that are not well formed, and messages whose ends disagree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/verify.h"

namespace trireme::plan::verifier {
namespace {

using testing::HasSubstr;

constexpr Slice kAll{0, 8};
constexpr Source kOwn{};

std::string said(const Plan& plan) { return in_words(verify(plan)); }
std::string said(const HandMade& made) { return said(made.plan()); }

PlanSpec tree_of(std::int32_t n) { return spec_of(Strategy::kTree, n, 8); }

HandMade one_message() {
  HandMade made(tree_of(3));
  made.message(2, 0, 1, kAll, Action::kCopy);
  return made;
}

TEST(VerifyForm, WantsOneProgramForEachNodeInItsPlace) {
  Plan plan = make_plan(tree_of(3));
  plan.programs.pop_back();
  EXPECT_THAT(said(plan), HasSubstr("there is not one program for each node"));
  plan = make_plan(tree_of(3));
  std::swap(plan.programs[1], plan.programs[2]);
  EXPECT_THAT(said(plan), HasSubstr("rank 2, an empty slice: the program stands in another node's place"));
}

TEST(VerifyForm, WantsSlicesInsideTheBuffer) {
  for (const Slice& slice : {Slice{-1, 3}, Slice{6, 3}, Slice{0, 9}, Slice{9, 1}, Slice{3, 0}, Slice{3, -1},
                             Slice{1, std::numeric_limits<std::int64_t>::max()}}) {
    HandMade made(tree_of(3));
    made.message(0, 0, 1, slice, Action::kCopy);
    EXPECT_THAT(said(made), HasSubstr("there is no such step or slice"))
        << slice.first << ", " << slice.count;
  }
}

TEST(VerifyForm, WantsStepsThatAscendFromZero) {
  HandMade negative(tree_of(3));
  negative.message(-1, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(negative), HasSubstr("there is no such step or slice"));
  HandMade back(tree_of(3));
  back.message(3, 0, 1, kAll, Action::kCopy).message(1, 0, 2, kAll, Action::kCopy);
  EXPECT_THAT(said(back), HasSubstr("step 2 of tree, rank 0, the whole buffer: comes after a later step"));
}

TEST(VerifyForm, WantsFoldsAtTheEndOfTheirStep) {
  HandMade made(tree_of(3));
  made.fold(0, 0, kAll, {kOwn}).message(0, 0, 1, kAll, Action::kCopy);
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of tree, rank 0, the whole buffer: is posted in a step whose adding up "
                        "has begun"));
}

TEST(VerifyForm, WantsPeersThatExistAndAreOthers) {
  for (const Rank nobody : {-1, 3, 1000}) {
    HandMade made = one_message();
    made.program(0).ops[0].peer = nobody;
    EXPECT_THAT(said(made), HasSubstr("step 3 of tree, rank 0, the whole buffer: the peer does not exist"));
  }
  HandMade itself = one_message();
  itself.program(1).ops[0].peer = 1;
  EXPECT_THAT(said(itself),
              HasSubstr("step 3 of tree, rank 1, the whole buffer: a node's transfer to itself"));
}

TEST(VerifyForm, WantsRoomForWhatIsKept) {
  for (const std::int64_t room : {-1, 1, 8}) {
    HandMade made(tree_of(2));
    made.room(0, 8).message(0, 1, 0, kAll, Action::kKeep, {.room = room});
    EXPECT_THAT(said(made), HasSubstr("rank 0, the whole buffer: there is no such room to put it aside in"));
  }
}

TEST(VerifyForm, WantsFoldsOfSourcesAndRoomThatExist) {
  HandMade none(tree_of(2));
  none.fold(0, 0, kAll, {});
  EXPECT_THAT(said(none), HasSubstr("rank 0, the whole buffer: adds up sources that do not exist"));
  HandMade beyond(tree_of(2));
  beyond.fold(0, 0, kAll, {kOwn, kOwn});
  beyond.program(0).ops[0].room = 1;
  EXPECT_THAT(said(beyond), HasSubstr("adds up sources that do not exist"));
  HandMade no_room(tree_of(2));
  no_room.room(0, 7).fold(0, 0, kAll, {kOwn, {1, 0}});
  EXPECT_THAT(said(no_room), HasSubstr("rank 0, the whole buffer: adds up from room that does not exist"));
}

TEST(VerifyForm, WantsFoldsToBeLocal) {
  for (const Rank other : {-1, 1, 1000}) {
    HandMade made(tree_of(2));
    made.fold(0, 0, kAll, {kOwn});
    made.program(0).ops[0].peer = other;
    EXPECT_THAT(said(made),
                HasSubstr("rank 0, the whole buffer: adds up, but with another node as its peer"));
  }
}

TEST(VerifyForm, WantsOneSourcePerWorkerToBeginWithAnotherForEachChunk) {
  HandMade made(tree_of(3));
  made.fold(0, 0, kAll, {kOwn, kOwn});
  made.program(0).ops[0].by_chunk = true;
  EXPECT_THAT(said(made),
              HasSubstr("begins with another source for each chunk, but has not one for each worker"));
}

TEST(VerifyForm, FindsASendWithoutReceive) {
  HandMade made = one_message();
  made.program(1).ops.clear();
  EXPECT_EQ(said(made),
            "step 3 of tree, rank 0, the whole buffer: sends to rank 1 what it does not receive\n");
}

TEST(VerifyForm, FindsAReceiveWithoutSend) {
  HandMade made = one_message();
  made.program(0).ops.clear();
  EXPECT_EQ(said(made), "step 3 of tree, rank 1, the whole buffer: receives from rank 0 what nobody sends\n");
}

TEST(VerifyForm, FindsAReceiveThatExpectsSomebodyElse) {
  HandMade made = one_message();
  made.program(1).ops[0].peer = 2;
  EXPECT_THAT(said(made),
              HasSubstr("step 3 of tree, rank 1, the whole buffer: expects it from rank 2, but rank 0 "
                        "sends it"));
}

TEST(VerifyForm, FindsEndsThatDisagree) {
  HandMade slice = one_message();
  slice.program(1).ops[0].slice = {0, 4};
  EXPECT_THAT(said(slice),
              HasSubstr("step 3 of tree, rank 1, elements 0–3: rank 0 sends this message with another "
                        "slice"));
  HandMade action = one_message();
  action.program(1).ops[0].action = Action::kAdd;
  EXPECT_THAT(said(action),
              HasSubstr("rank 1, the whole buffer: rank 0 sends this message with another action"));
  HandMade step = one_message();
  step.program(1).ops[0].step = 4;
  EXPECT_THAT(said(step),
              HasSubstr("step 5 of tree, rank 1, the whole buffer: rank 0 sends this message with "
                        "another step"));
}

TEST(VerifyForm, FindsAMessageSentTwice) {
  HandMade made = one_message();
  made.program(0).ops.push_back(made.program(0).ops[0]);
  EXPECT_THAT(said(made),
              HasSubstr("rank 0, the whole buffer: superfluous: sends a message to rank 1 that is sent "
                        "already"));
}

TEST(VerifyForm, FindsAMessageReceivedTwice) {
  HandMade made = one_message();
  made.program(1).ops.push_back(made.program(1).ops[0]);
  EXPECT_THAT(said(made),
              HasSubstr("rank 1, the whole buffer: superfluous: receives twice what rank 0 sends once"));
}

TEST(VerifyForm, FindsAnIdUsedByTwoMessagesToDifferentNodes) {
  Plan plan = make_plan(tree_of(3));  // down: 0→2 in step 2, 0→1 in step 3
  ASSERT_EQ(said(plan), "");
  plan.programs[0].ops[3].id = plan.programs[1].ops[1].id = plan.programs[0].ops[2].id;
  EXPECT_THAT(said(plan),
              HasSubstr("step 4 of tree, rank 0, the whole buffer: has the id of an op of rank 0"));
}

}  // namespace
}  // namespace trireme::plan::verifier
