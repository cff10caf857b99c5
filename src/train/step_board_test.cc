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
    _exit(0);
  }
  waitpid(node, nullptr, 0);
  EXPECT_EQ(board.in_words(2), "step 1,200 of training (epoch 3)");
  EXPECT_EQ(board.in_words(1), "");
}

}  // namespace
}  // namespace trireme::train
