// The ops of small plans, written out by hand from the rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> ops_of(const PlanSpec& spec, Rank node) { return lines(make_program(spec, node)); }

TEST(Ring, AWorkerSendsItsOwnChunkFirstAndPassesOnWhatItGot) {
  EXPECT_THAT(ops_of(spec_of(Strategy::kRing, 3, 7), 1),
              ElementsAre("0: send [2,4) to 2, add", "0: receive [0,2) from 0, add",
                          "1: send [0,2) to 2, add", "1: receive [4,7) from 0, add, completes",
                          "2: send [4,7) to 2, copy", "2: receive [2,4) from 0, copy",
                          "3: send [2,4) to 2, copy", "3: receive [0,2) from 0, copy"));
}

TEST(Ring, OfTwoIsOneExchangeThereAndBack) {
  EXPECT_THAT(ops_of(spec_of(Strategy::kRing, 2, 5), 0),
              ElementsAre("0: send [0,2) to 1, add", "0: receive [2,5) from 1, add, completes",
                          "1: send [2,5) to 1, copy", "1: receive [0,2) from 1, copy"));
}

TEST(Ring, DoesNotSendEmptyChunks) {
  EXPECT_THAT(ops_of(spec_of(Strategy::kRing, 4, 3), 0),                              // chunk 0 is empty
              ElementsAre("0: receive [2,3) from 3, add",                             //
                          "1: send [2,3) to 1, add", "1: receive [1,2) from 3, add",  //
                          "2: send [1,2) to 1, add", "2: receive [0,1) from 3, add, completes",  //
                          "3: send [0,1) to 1, copy",                                            //
                          "4: receive [2,3) from 3, copy",                                       //
                          "5: send [2,3) to 1, copy", "5: receive [1,2) from 3, copy"));
}

TEST(AllToAll, SendsEverythingToEverybodyAndFoldsInRingOrder) {
  const Program program = make_program(spec_of(Strategy::kAllToAll, 3, 7), 1);
  EXPECT_THAT(
      lines(program),
      ElementsAre("0: send [0,7) to 2, keep", "0: send [0,7) to 0, keep",
                  "0: receive [0,7) from 0, keep in room 0", "0: receive [0,7) from 2, keep in room 7",
                  "0: fold [0,7) of room 0 of 0 + own + room 7 of 2, by chunk, completes"));
  EXPECT_EQ(program.room_elements, 14);
}

TEST(AllToAll, FoldsInTheGivenOrder) {
  PlanSpec spec = spec_of(Strategy::kAllToAll, 3, 7);
  spec.order = RingOrder({2, 0, 1});
  EXPECT_THAT(
      ops_of(spec, 0),
      ElementsAre("0: send [0,7) to 1, keep", "0: send [0,7) to 2, keep",
                  "0: receive [0,7) from 2, keep in room 0", "0: receive [0,7) from 1, keep in room 7",
                  "0: fold [0,7) of room 0 of 2 + own + room 7 of 1, by chunk, completes"));
}

TEST(AllToAll, SendsEvenASingleElementWhole) {
  EXPECT_THAT(ops_of(spec_of(Strategy::kAllToAll, 2, 1), 0),
              ElementsAre("0: send [0,1) to 1, keep", "0: receive [0,1) from 1, keep in room 0",
                          "0: fold [0,1) of own + room 0 of 1, by chunk, completes"));
}

TEST(Direct, GivesEachChunkToItsOwnerWhoGivesTheSumBack) {
  EXPECT_THAT(
      ops_of(spec_of(Strategy::kDirect, 3, 7), 1),
      ElementsAre("0: send [4,7) to 2, keep", "0: send [0,2) to 0, keep",
                  "0: receive [2,4) from 2, keep in room 0", "0: receive [2,4) from 0, keep in room 2",
                  "0: fold [2,4) of own + room 0 of 2 + room 2 of 0, completes", "1: send [2,4) to 2, copy",
                  "1: send [2,4) to 0, copy", "1: receive [4,7) from 2, copy",
                  "1: receive [0,2) from 0, copy"));
}

TEST(Direct, ChunkKBelongsToRingPositionK) {
  PlanSpec spec = spec_of(Strategy::kDirect, 3, 3);
  spec.order = RingOrder({2, 0, 1});
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: send [1,2) to 0, keep", "0: send [2,3) to 1, keep",
                                           "0: receive [0,1) from 0, keep in room 0",
                                           "0: receive [0,1) from 1, keep in room 1",
                                           "0: fold [0,1) of own + room 0 of 0 + room 1 of 1, completes",
                                           "1: send [0,1) to 0, copy", "1: send [0,1) to 1, copy",
                                           "1: receive [1,2) from 0, copy", "1: receive [2,3) from 1, copy"));
}

TEST(Direct, OwnersOfNothingOnlyGiveAndGet) {
  const PlanSpec spec = spec_of(Strategy::kDirect, 3, 1);  // only chunk 2 is not empty
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,1) to 2, keep", "1: receive [0,1) from 2, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: receive [0,1) from 0, keep in room 0",
                                           "0: receive [0,1) from 1, keep in room 1",
                                           "0: fold [0,1) of own + room 0 of 0 + room 1 of 1, completes",
                                           "1: send [0,1) to 0, copy", "1: send [0,1) to 1, copy"));
}

TEST(ParameterServer, OneServerCollectsEverythingAndAnswers) {
  const PlanSpec spec = with_servers(3, 7, 1);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,7) to 3, update", "1: receive [0,7) from 3, copy"));
  EXPECT_THAT(
      ops_of(spec, 3),
      ElementsAre("0: receive [0,7) from 0, update in room 0", "0: receive [0,7) from 1, update in room 7",
                  "0: receive [0,7) from 2, update in room 14",
                  "0: fold [0,7) of room 0 of 0 + room 7 of 1 + room 14 of 2, update, by chunk, completes",
                  "1: send [0,7) to 0, copy", "1: send [0,7) to 1, copy", "1: send [0,7) to 2, copy"));
}

TEST(ParameterServer, SeveralServersHoldAShareEach) {
  PlanSpec spec = with_servers(2, 5, 2);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,2) to 2, update", "0: send [2,5) to 3, update",
                                           "1: receive [0,2) from 2, copy", "1: receive [2,5) from 3, copy"));
  // It does not begin with the same server as the other worker.
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [2,5) to 3, update", "0: send [0,2) to 2, update",
                                           "1: receive [2,5) from 3, copy", "1: receive [0,2) from 2, copy"));
  spec.order = RingOrder({1, 0});
  EXPECT_THAT(
      ops_of(spec, 3),
      ElementsAre("0: receive [2,5) from 1, update in room 0", "0: receive [2,5) from 0, update in room 3",
                  "0: fold [2,5) of room 0 of 1 + room 3 of 0, update, by chunk, completes",
                  "1: send [2,5) to 0, copy", "1: send [2,5) to 1, copy"));
}

TEST(ParameterServer, AServerOfNothingDoesNothing) {
  const PlanSpec spec = with_servers(2, 2, 3);  // shares: none, [0,1), [1,2)
  EXPECT_THAT(ops_of(spec, 2), IsEmpty());
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,1) to 3, update", "0: send [1,2) to 4, update",
                                           "1: receive [0,1) from 3, copy", "1: receive [1,2) from 4, copy"));
}

TEST(ParameterServer, AnEmptyShareOfWholeVariablesHasNoMessages) {
  const PlanSpec spec = with_whole_variables(with_servers(2, 10, 3), {2, 9});  // shares [0,2) [2,9) [9,10)
  EXPECT_THAT(ops_of(spec, 0),
              ElementsAre("0: send [0,2) to 2, update", "0: send [2,9) to 3, update",
                          "0: send [9,10) to 4, update", "1: receive [0,2) from 2, copy",
                          "1: receive [2,9) from 3, copy", "1: receive [9,10) from 4, copy"));
  const PlanSpec two = with_whole_variables(with_servers(2, 10, 3), {9});  // shares [0,0) [0,9) [9,10)
  EXPECT_THAT(ops_of(two, 0), ElementsAre("0: send [0,9) to 3, update", "0: send [9,10) to 4, update",
                                          "1: receive [0,9) from 3, copy", "1: receive [9,10) from 4, copy"));
  EXPECT_THAT(ops_of(two, 2), IsEmpty());
}

TEST(ParameterServer, AWorkerWithAShareServesTheOthersAndItself) {
  const PlanSpec spec = with_shares(3, 6, 2);  // ranks 0 and 1 hold [0,3) and [3,6)
  EXPECT_THAT(
      ops_of(spec, 0),
      ElementsAre("0: send [3,6) to 1, update", "0: receive [0,3) from 1, update in room 0",
                  "0: receive [0,3) from 2, update in room 3",
                  "0: fold [0,3) of own + room 0 of 1 + room 3 of 2, update, by chunk, completes",
                  "1: receive [3,6) from 1, copy", "1: send [0,3) to 1, copy", "1: send [0,3) to 2, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: send [0,3) to 0, update", "0: send [3,6) to 1, update",
                                           "1: receive [0,3) from 0, copy", "1: receive [3,6) from 1, copy"));
}

TEST(ParameterServer, OneWorkerWithADedicatedServerStillAsksIt) {
  const PlanSpec spec = with_servers(1, 4, 1);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,4) to 1, update", "1: receive [0,4) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: receive [0,4) from 0, update in room 0",
                                           "0: fold [0,4) of room 0 of 0, update, by chunk, completes",
                                           "1: send [0,4) to 0, copy"));
}

TEST(Tree, OfThree) {
  const PlanSpec spec = spec_of(Strategy::kTree, 3, 4);
  EXPECT_THAT(ops_of(spec, 0),
              ElementsAre("0: receive [0,4) from 1, add", "1: receive [0,4) from 2, add, completes",
                          "2: send [0,4) to 2, copy", "3: send [0,4) to 1, copy"));
  EXPECT_THAT(ops_of(spec, 1), ElementsAre("0: send [0,4) to 0, add", "3: receive [0,4) from 0, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("1: send [0,4) to 0, add", "2: receive [0,4) from 0, copy"));
}

TEST(Tree, OfFourHasAnInnerNode) {
  const PlanSpec spec = spec_of(Strategy::kTree, 4, 4);
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: receive [0,4) from 3, add", "1: send [0,4) to 0, add",
                                           "2: receive [0,4) from 0, copy", "3: send [0,4) to 3, copy"));
  EXPECT_THAT(ops_of(spec, 3), ElementsAre("0: send [0,4) to 2, add", "3: receive [0,4) from 2, copy"));
}

TEST(Tree, OfFiveIsOneStepHigher) {
  const PlanSpec spec = spec_of(Strategy::kTree, 5, 4);
  EXPECT_THAT(ops_of(spec, 0),
              ElementsAre("0: receive [0,4) from 1, add", "1: receive [0,4) from 2, add",
                          "2: receive [0,4) from 4, add, completes", "3: send [0,4) to 4, copy",
                          "4: send [0,4) to 2, copy", "5: send [0,4) to 1, copy"));
  EXPECT_THAT(ops_of(spec, 2), ElementsAre("0: receive [0,4) from 3, add", "1: send [0,4) to 0, add",
                                           "4: receive [0,4) from 0, copy", "5: send [0,4) to 3, copy"));
  EXPECT_THAT(ops_of(spec, 4), ElementsAre("2: send [0,4) to 0, add", "3: receive [0,4) from 0, copy"));
}

TEST(RecursiveDoubling, OfFourExchangesWithNeighboursAtGrowingDistance) {
  const PlanSpec spec = spec_of(Strategy::kRecursiveDoubling, 4, 6);
  EXPECT_THAT(ops_of(spec, 2),
              ElementsAre("0: send [0,6) to 3, keep", "0: receive [0,6) from 3, keep in room 0",
                          "0: fold [0,6) of own + room 0 of 3", "1: send [0,6) to 0, keep",
                          "1: receive [0,6) from 0, keep in room 6",
                          "1: fold [0,6) of room 6 of 0 + own, completes"));
  EXPECT_THAT(ops_of(spec, 3)[2], "0: fold [0,6) of room 0 of 2 + own") << "the lower comes first at both";
}

TEST(RecursiveDoubling, OfThreeHandsOverFirstAndBackLast) {
  const PlanSpec spec = spec_of(Strategy::kRecursiveDoubling, 3, 6);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,6) to 1, add", "2: receive [0,6) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 1),
              ElementsAre("0: receive [0,6) from 0, add", "1: send [0,6) to 2, keep",
                          "1: receive [0,6) from 2, keep in room 0",
                          "1: fold [0,6) of own + room 0 of 2, completes", "2: send [0,6) to 0, copy"));
  EXPECT_THAT(ops_of(spec, 2),
              ElementsAre("1: send [0,6) to 1, keep", "1: receive [0,6) from 1, keep in room 0",
                          "1: fold [0,6) of room 0 of 1 + own, completes"));
}

TEST(RecursiveDoubling, OfFiveLetsRanksOneToFourDouble) {
  const PlanSpec spec = spec_of(Strategy::kRecursiveDoubling, 5, 6);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,6) to 1, add", "3: receive [0,6) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 4),
              ElementsAre("1: send [0,6) to 3, keep", "1: receive [0,6) from 3, keep in room 0",
                          "1: fold [0,6) of room 0 of 3 + own", "2: send [0,6) to 2, keep",
                          "2: receive [0,6) from 2, keep in room 6",
                          "2: fold [0,6) of room 6 of 2 + own, completes"));
}

TEST(HalvingDoubling, OfFourHalvesTwiceAndDoublesTwice) {
  const PlanSpec spec = spec_of(Strategy::kHalvingDoubling, 4, 8);
  EXPECT_THAT(ops_of(spec, 0),
              ElementsAre("0: send [4,8) to 1, add", "0: receive [0,4) from 1, add",
                          "1: send [2,4) to 2, add", "1: receive [0,2) from 2, add, completes",
                          "2: send [0,2) to 2, copy", "2: receive [2,4) from 2, copy",
                          "3: send [0,4) to 1, copy", "3: receive [4,8) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 3),
              ElementsAre("0: send [0,4) to 2, add", "0: receive [4,8) from 2, add",
                          "1: send [4,6) to 1, add", "1: receive [6,8) from 1, add, completes",
                          "2: send [6,8) to 1, copy", "2: receive [4,6) from 1, copy",
                          "3: send [4,8) to 2, copy", "3: receive [0,4) from 2, copy"));
}

TEST(HalvingDoubling, OfThreeHandsOverFirstAndBackLast) {
  const PlanSpec spec = spec_of(Strategy::kHalvingDoubling, 3, 5);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,5) to 1, add", "3: receive [0,5) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 1),
              ElementsAre("0: receive [0,5) from 0, add", "1: send [2,5) to 2, add",
                          "1: receive [0,2) from 2, add, completes", "2: send [0,2) to 2, copy",
                          "2: receive [2,5) from 2, copy", "3: send [0,5) to 0, copy"));
}

TEST(HalvingDoubling, OfFiveTakesSixSteps) {
  const PlanSpec spec = spec_of(Strategy::kHalvingDoubling, 5, 8);
  EXPECT_THAT(ops_of(spec, 0), ElementsAre("0: send [0,8) to 1, add", "5: receive [0,8) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 4),  // participant 3 of four
              ElementsAre("1: send [0,4) to 3, add", "1: receive [4,8) from 3, add",
                          "2: send [4,6) to 2, add", "2: receive [6,8) from 2, add, completes",
                          "3: send [6,8) to 2, copy", "3: receive [4,6) from 2, copy",
                          "4: send [4,8) to 3, copy", "4: receive [0,4) from 3, copy"));
}

TEST(Hierarchical, OfTwoHostsWithTwoWorkersEach) {
  const PlanSpec spec = on_hosts(2, 2, 8);
  EXPECT_THAT(ops_of(spec, 0),
              ElementsAre("0: send [4,8) to 1, keep", "0: receive [0,4) from 1, keep in room 0",
                          "0: fold [0,4) of own + room 0 of 1", "1: send [0,2) to 2, add",
                          "1: receive [2,4) from 2, add, completes", "2: send [2,4) to 2, copy",
                          "2: receive [0,2) from 2, copy", "3: send [0,4) to 1, copy",
                          "3: receive [4,8) from 1, copy"));
  EXPECT_THAT(ops_of(spec, 3),
              ElementsAre("0: send [0,4) to 2, keep", "0: receive [4,8) from 2, keep in room 0",
                          "0: fold [4,8) of own + room 0 of 2", "1: send [6,8) to 1, add",
                          "1: receive [4,6) from 1, add, completes", "2: send [4,6) to 1, copy",
                          "2: receive [6,8) from 1, copy", "3: send [4,8) to 2, copy",
                          "3: receive [0,4) from 2, copy"));
}

TEST(Hierarchical, OfTwoHostsWithThreeWorkersEach) {
  EXPECT_THAT(
      ops_of(on_hosts(2, 3, 6), 4),
      ElementsAre("0: send [4,6) to 5, keep", "0: send [0,2) to 3, keep",
                  "0: receive [2,4) from 5, keep in room 0", "0: receive [2,4) from 3, keep in room 2",
                  "0: fold [2,4) of own + room 0 of 5 + room 2 of 3", "1: send [3,4) to 1, add",
                  "1: receive [2,3) from 1, add, completes", "2: send [2,3) to 1, copy",
                  "2: receive [3,4) from 1, copy", "3: send [2,4) to 5, copy", "3: send [2,4) to 3, copy",
                  "3: receive [4,6) from 5, copy", "3: receive [0,2) from 3, copy"));
}

TEST(Hierarchical, OnOneHostIsDirectAndWithOneWorkerPerHostARing) {
  for (Rank node = 0; node < 4; ++node) {
    EXPECT_EQ(ops_of(on_hosts(1, 4, 9), node), ops_of(spec_of(Strategy::kDirect, 4, 9), node));
    EXPECT_EQ(ops_of(on_hosts(4, 1, 9), node), ops_of(spec_of(Strategy::kRing, 4, 9), node));
  }
}

TEST(EveryStrategy, DoesNothingWithNothingToExchange) {
  for (std::int32_t n = 1; n <= 5; ++n) {
    for (const PlanSpec& spec : every_kind(n, 0)) {
      for (Rank node = 0; node < spec.nodes(); ++node) EXPECT_THAT(ops_of(spec, node), IsEmpty());
    }
  }
}

TEST(EveryStrategy, DoesNothingForOneWorkerWithoutAServer) {
  for (const PlanSpec& spec : every_kind(1, 9)) {
    if (spec.servers > 0) continue;
    EXPECT_THAT(ops_of(spec, 0), IsEmpty()) << in_words(spec);
  }
}

}  // namespace
}  // namespace trireme::plan
