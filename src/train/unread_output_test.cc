#include "train/unread_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/system/fd.h"
#include "train/step_board.h"

namespace trireme::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Standard output leads into a pipe as long as this lives.
class PipedOutput {
 public:
  PipedOutput() : before_(::dup(STDOUT_FILENO)), pipe_(make_pipe()) {
    ::dup2(pipe_.write.get(), STDOUT_FILENO);
  }
  ~PipedOutput() { ::dup2(before_.get(), STDOUT_FILENO); }
  PipedOutput(const PipedOutput&) = delete;
  PipedOutput& operator=(const PipedOutput&) = delete;

  void lose_reader() { pipe_.read.reset(); }

 private:
  Fd before_;
  Pipe pipe_;
};

// Returns the text that is written meanwhile.
std::string said_by(UnreadOutput& watch, std::vector<int>& signals) {
  testing::internal::CaptureStderr();
  signals = watch.new_signals();
  return testing::internal::GetCapturedStderr();
}

TEST(UnreadOutput, EndsATrainingThatKeepsNothingOnce) {
  PipedOutput output;
  UnreadOutput watch(false, nullptr);
  EXPECT_THAT(watch.new_signals(), IsEmpty());
  output.lose_reader();
  std::vector<int> signals;
  EXPECT_THAT(said_by(watch, signals), HasSubstr("nothing is kept without --out"));
  EXPECT_THAT(signals, ElementsAre(SIGTERM));
  EXPECT_EQ(said_by(watch, signals), "");
  EXPECT_THAT(signals, IsEmpty());
}

TEST(UnreadOutput, IsOnlySaidOfATrainingThatKeepsItsResult) {
  PipedOutput output;
  output.lose_reader();
  UnreadOutput watch(true, nullptr);
  std::vector<int> signals;
  EXPECT_THAT(said_by(watch, signals), HasSubstr("going on"));
  EXPECT_THAT(signals, IsEmpty());
}

TEST(UnreadOutput, IsNoReasonToEndWhenTheResultIsPrinted) {
  PipedOutput output;
  output.lose_reader();
  StepBoard board(1);
  board.conclude();
  UnreadOutput watch(false, &board);
  EXPECT_THAT(watch.new_signals(), IsEmpty());
}

}  // namespace
}  // namespace trireme::train
