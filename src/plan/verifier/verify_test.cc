// Right plans pass; for plans with one mistake, the verifier describes it in words.
#include "plan/verifier/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/any_spec_test_util.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/pieces_test_util.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan::verifier {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Slice kAll{0, 1};  // of buffers of one element

PlanSpec tree_of(std::int32_t n) { return spec_of(Strategy::kTree, n, 1); }

std::string said(const HandMade& made) { return in_words(verify(made.plan())); }

TEST(Verify, FindsEveryStrategyRightUpToSeventeenWorkers) {
  for (std::int32_t n = 1; n <= 17; ++n) {
    for (const std::int64_t p : {0, 1, 2, n - 1, n, n + 1, 2 * n - 1, 97, 1009}) {
      for (PlanSpec spec : every_kind(n, p)) {
        ASSERT_EQ(in_words(verify(make_plan(spec))), "") << in_words(spec);
        if (!follows_ring_order(spec.strategy)) continue;
        spec.order = shuffled_order(n, static_cast<std::uint32_t>(p));
        ASSERT_EQ(in_words(verify(make_plan(spec))), "") << in_words(spec);
      }
    }
  }
}

RC_GTEST_PROP(Verify, FindsEveryStrategyRightForManyWorkers, ()) {
  RC_ASSERT(in_words(verify(make_plan(any_spec(100)))) == "");
}

TEST(Verify, FindsTheLargestBuffersRight) {
  for (const PlanSpec& spec : every_kind(6, std::int64_t{1} << 53)) {
    EXPECT_EQ(in_words(verify(make_plan(spec))), "") << in_words(spec);
  }
}

TEST(Verify, FindsPlansRightWhoseMessagesAreSentInPieces) {
  std::uint32_t seed = 0;
  for (std::int32_t n = 2; n <= 6; ++n) {
    for (const std::int64_t p : {5, 17, 64}) {
      for (const PlanSpec& spec : every_kind(n, p)) {
        const Plan plan = in_pieces(make_plan(spec), ++seed);
        ASSERT_EQ(in_words(verify(plan)), "") << in_words(plan);
      }
    }
  }
}

HandMade right_tree_of_three() {
  HandMade made(tree_of(3));
  made.message(0, 1, 0, kAll, Action::kAdd)
      .message(1, 2, 0, kAll, Action::kAdd, {.completes = true})
      .message(2, 0, 2, kAll, Action::kCopy)
      .message(3, 0, 1, kAll, Action::kCopy);
  return made;
}

TEST(Verify, FindsAPlanMadeByHandRight) { EXPECT_EQ(said(right_tree_of_three()), ""); }

TEST(Verify, NamesStepRankAndSliceInWordsAndInNumbers) {
  HandMade made(spec_of(Strategy::kRing, 3, 7));
  made.message(4, 0, 1, {2, 2}, Action::kCopy);
  made.program(1).ops.clear();
  const std::vector<Problem> problems = verify(made.plan());
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].text, "step 5 of ring, rank 0, chunk 1: sends to rank 1 what it does not receive");
  EXPECT_EQ(problems[0].step, 4);
  EXPECT_EQ(problems[0].node, 0);
  EXPECT_EQ(problems[0].slice, (Slice{2, 2}));
}

TEST(Verify, StopsAtTheGivenNumberOfProblems) {
  Plan plan = make_plan(spec_of(Strategy::kRing, 8, 8));
  for (Program& program : plan.programs) program.ops.clear();
  EXPECT_EQ(verify(plan, 3).size(), 3U);
  EXPECT_EQ(verify(plan).size(), 20U);
}

// Every node sends before any node receives.
TEST(Verify, FindsACycleOfSendsThatWaitForTheirReceives) {
  HandMade made(tree_of(3));
  made.message(0, 0, 1, kAll, Action::kAdd, {.receive_step = 1})
      .message(0, 1, 2, kAll, Action::kAdd, {.receive_step = 1})
      .message(0, 2, 0, kAll, Action::kAdd, {.receive_step = 1});
  for (Rank node = 0; node < 3; ++node) {  // rank 0's receive was made last, those of the others first
    auto& ops = made.program(node).ops;
    if (ops[0].step > ops[1].step) std::swap(ops[0], ops[1]);
  }
  const std::string text = said(made);
  for (const Rank node : {0, 1, 2}) {
    EXPECT_THAT(text,
                HasSubstr(fmt::format("step 1 of tree, rank {}, the whole buffer: deadlock when sends wait "
                                      "for their receives: waits forever to send to rank {}",
                                      node, (node + 1) % 3)));
  }
  EXPECT_THAT(text, Not(HasSubstr("with one message under way"))) << "one message may lie between two nodes";
}

TEST(Verify, FindsACycleOfReceivesUnderAnyBuffering) {
  HandMade made(tree_of(2));
  made.message(1, 0, 1, kAll, Action::kAdd, {.receive_step = 0});
  made.message(1, 1, 0, kAll, Action::kAdd, {.receive_step = 0});
  auto& ops = made.program(0).ops;
  std::swap(ops[0], ops[1]);
  const std::string text = said(made);
  EXPECT_THAT(text,
              HasSubstr("deadlock when sends wait for their receives: waits forever to receive from rank 1"));
  EXPECT_THAT(text,
              HasSubstr("deadlock with one message under way between two nodes: waits forever to receive "
                        "from rank 0"));
}

// Two messages of one step, received in two steps in the opposite order: the second cannot pass the first.
TEST(Verify, FindsAMessageThatWouldHaveToOvertakeAnother) {
  HandMade made(spec_of(Strategy::kTree, 2, 2));
  made.message(0, 0, 1, {0, 1}, Action::kCopy, {.receive_step = 1})
      .message(0, 0, 1, {1, 1}, Action::kCopy, {.receive_step = 0});
  auto& ops = made.program(1).ops;
  std::swap(ops[0], ops[1]);
  const std::string text = said(made);
  EXPECT_THAT(text, Not(HasSubstr("when sends wait")));
  EXPECT_THAT(text,
              HasSubstr("step 1 of tree, rank 0, chunk 1: deadlock with one message under way between two "
                        "nodes: waits forever to send to rank 1"));
  EXPECT_THAT(text,
              HasSubstr("step 1 of tree, rank 1, chunk 1: deadlock with one message under way between two "
                        "nodes: waits forever to receive from rank 0"));
}

// The same two messages in sending order: no deadlock, only a disagreement about the step.
TEST(Verify, LetsMessagesArriveOneAfterAnother) {
  HandMade made(spec_of(Strategy::kTree, 2, 2));
  made.message(0, 0, 1, {0, 1}, Action::kCopy, {.receive_step = 0})
      .message(0, 0, 1, {1, 1}, Action::kCopy, {.receive_step = 1});
  EXPECT_THAT(said(made), Not(HasSubstr("deadlock")));
  EXPECT_THAT(said(made), HasSubstr("rank 1, chunk 1: rank 0 sends this message with another step"));
}

// There is one place between two nodes: three messages sent at once arrive if received in order, step by
// step.
TEST(Verify, LetsAQueueBehindTheOnePlaceMoveUp) {
  HandMade made(spec_of(Strategy::kTree, 2, 3));
  for (std::int32_t i = 0; i < 3; ++i) {
    made.message(0, 0, 1, {i, 1}, Action::kCopy, {.receive_step = i});
  }
  EXPECT_THAT(said(made), Not(HasSubstr("deadlock")));
}

TEST(Verify, FindsASliceWrittenWhileItIsBeingSent) {
  HandMade made(tree_of(2));
  made.message(0, 0, 1, kAll, Action::kAdd, {.completes = true});
  made.message(0, 1, 0, kAll, Action::kAdd, {.completes = true});
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of tree, rank 0, the whole buffer: is written while it is being sent"));
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of tree, rank 1, the whole buffer: is written while it is being sent"));
}

TEST(Verify, FindsAPartlyOverlappingWriteAmongManySends) {
  HandMade made(spec_of(Strategy::kTree, 2, 8));
  made.message(0, 0, 1, {0, 2}, Action::kCopy).message(0, 0, 1, {4, 2}, Action::kCopy);
  made.message(0, 1, 0, {2, 2}, Action::kCopy).message(0, 1, 0, {6, 2}, Action::kCopy);
  EXPECT_THAT(said(made), Not(HasSubstr("while it is being sent"))) << "side by side is allowed";
  made.message(0, 1, 0, {5, 1}, Action::kCopy);
  EXPECT_THAT(said(made), HasSubstr("step 1 of tree, rank 0, element 5: is written while it is being sent"));
}

TEST(Verify, FindsTwoWritesInOneStep) {
  HandMade made(tree_of(3));
  made.message(0, 1, 0, kAll, Action::kAdd);
  made.message(0, 2, 0, kAll, Action::kAdd, {.completes = true});
  EXPECT_THAT(said(made),
              HasSubstr("step 1 of tree, rank 0, the whole buffer: is written by two messages of one step"));
}

TEST(Verify, FindsRoomFilledTwiceInOneStep) {
  HandMade made(tree_of(3));
  made.room(0, 1).message(0, 1, 0, kAll, Action::kKeep).message(0, 2, 0, kAll, Action::kKeep);
  EXPECT_THAT(
      said(made),
      HasSubstr("step 1 of tree, rank 0, the whole buffer: its room is filled by two messages of one step"));
}

}  // namespace
}  // namespace trireme::plan::verifier
