#include "train/step_board.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trireme::train {
namespace {

TEST(StepBoard, SaysNothingOfANodeThatHasNotBegun) {
  const StepBoard board(2);
  EXPECT_EQ(board.in_words(1), "");
  EXPECT_EQ(board.in_words(2), "");
}

TEST(StepBoard, ShowsWhereAForkedNodeIs) {
  StepBoard board(3);
  const pid_t node = fork();
  ASSERT_GE(node, 0);
  if (node == 0) {
    board.begin(2, 1, 1);
    board.begin(2, 1200, 3);
    board.reach(0, {.steps = 1199, .planned = 5000, .samples_per_s = 2.5, .seconds = 3.5, .loss = 0.25});
    _exit(0);
  }
  waitpid(node, nullptr, 0);
  EXPECT_EQ(board.in_words(2), "step 1,200 of training (epoch 3)");
  EXPECT_EQ(board.in_words(1), "");
  const Reached reached = board.reached();
  EXPECT_EQ(reached.steps, 1199);
  EXPECT_EQ(reached.planned, 5000);
  EXPECT_EQ(reached.samples_per_s, 2.5);
  EXPECT_EQ(reached.seconds, 3.5);
  EXPECT_EQ(reached.loss, 0.25);
}

}  // namespace
}  // namespace trireme::train
