// Jobs of which only a part runs on this host, and jobs with an observer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "launch/lines.h"

namespace trireme::launch {
namespace {

using ::testing::HasSubstr;

TEST(JobPart, HasTheRanksAndTheSizeOfTheWholeJob) {
  const Ran ran =
      run_caught({.nodes = 1, .first_rank = 9, .job_size = 12}, shell("echo $TRIREME_RANK of $TRIREME_SIZE"));
  EXPECT_EQ(ran.out, "[ 9] 9 of 12\n");
}

TEST(JobPart, GivesItsBodyTheRankOfTheWholeJob) {
  const Ran ran = run_caught({.nodes = 1, .first_rank = 5, .job_size = 6}, [](Rank rank) { return rank; });
  ASSERT_EQ(ran.end.ranks.size(), 1U);
  EXPECT_EQ(ran.end.ranks[0].code, 5);
}

TEST(JobPart, NamesTheRankOfTheWholeJobAsTheFirstFailure) {
  const Ran ran = run_caught({.nodes = 2, .first_rank = 4, .job_size = 8}, shell("test $TRIREME_RANK = 4"));
  ASSERT_TRUE(ran.end.first_failure);
  EXPECT_THAT(ran.end.first_failure->text, HasSubstr("rank 5 "));
}

TEST(JobPart, KeepsItsLogsByTheRanksOfTheWholeJob) {
  const ScratchFolder folder;
  run_caught({.nodes = 1, .first_rank = 3, .job_size = 4, .logs = folder.path()}, shell("echo hello"));
  EXPECT_EQ(content(folder.path() / "rank-3.log"), "hello\n");
}

TEST(JobPart, ThatIsNotWithinTheJobIsRefused) {
  EXPECT_THROW(run_caught({.nodes = 2, .first_rank = 3, .job_size = 4}, shell("true")), Error);
}

TEST(JobInput, IsEachNodesOwn) {
  std::vector<Pipe> pipes(2);
  JobOptions options{.nodes = 2};
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    pipes[i] = make_pipe();
    write_all(pipes[i].write.get(), std::string("input ") + std::to_string(i) + "\n");
    pipes[i].write.reset();
    options.inputs.push_back(pipes[i].read.get());
  }
  const Ran ran = run_caught(options, shell("read -r line && test \"$line\" = \"input $TRIREME_RANK\""));
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobObserver, MayKeepALineOrChangeIt) {
  struct : JobObserver {
    bool line(Rank /*rank*/, NodeOutput /*which*/, std::string& line) override {
      line += "!";
      return line != "kept!";
    }
  } observer;
  const Ran ran =
      run_caught({.prefix = false, .observer = &observer}, shell("echo one; echo kept; printf two"));
  EXPECT_EQ(ran.out, "one!\ntwo!\n");
}

TEST(JobObserver, TellsALineOfStandardErrorFromOneOfStandardOutput) {
  struct : JobObserver {
    bool line(Rank /*rank*/, NodeOutput which, std::string& /*line*/) override {
      return which == NodeOutput::kErr;
    }
  } observer;
  const Ran ran = run_caught({.observer = &observer}, shell("echo out; echo err >&2"));
  EXPECT_EQ(ran.out + ran.err, "[0] err\n");
}

TEST(JobObserver, SeesALineThatAnotherJobHasPassedOnInOnePiece) {
  const std::string longest(LineCutter::kLongestPiece, 'x');
  struct : JobObserver {
    bool line(Rank /*rank*/, NodeOutput /*which*/, std::string& /*line*/) override { return ++lines > 0; }
    std::size_t lines = 0;
  } observer;
  run_caught({.prefix = false, .observer = &observer},
             [&](Rank) { return std::puts(("[17] " + longest).c_str()) < 0 ? 1 : 0; });
  EXPECT_EQ(observer.lines, 1U);
}

TEST(JobObserver, WritesALineForEachEnd) {
  struct : JobObserver {
    std::string ended(Rank rank, const RankEnd& end) override {
      return "rank " + std::to_string(rank) + " has ended with " + std::to_string(end.code) + "\n";
    }
  } observer;
  EXPECT_EQ(run_caught({.observer = &observer}, shell("exit 3")).out, "rank 0 has ended with 3\n");
}

// Has one signal for the job.
class OneSignal : public JobObserver {
 public:
  explicit OneSignal(int signal) : signals_{signal} {}
  std::vector<int> more_signals() override { return std::exchange(signals_, {}); }

 private:
  std::vector<int> signals_;
};

TEST(JobObserver, MayHaveSignalsFromElsewhere) {
  OneSignal observer(SIGTERM);
  const Ran ran = run_caught({.observer = &observer}, shell("exec sleep 1000"));
  EXPECT_EQ(ran.end.interrupted, SIGTERM);
  EXPECT_EQ(ran.end.ranks[0].code, SIGTERM);
}

TEST(JobObserver, MayDeliverASignalInAnotherWay) {
  Pipe pipe = make_pipe();
  struct : OneSignal {
    using OneSignal::OneSignal;
    bool deliver(Rank /*rank*/, int signal) override {
      return signal == SIGINT && write_all(to, std::string("leave\n"));
    }
    int to = -1;
  } observer(SIGINT);
  observer.to = pipe.write.get();
  const Ran ran =
      run_caught({.inputs = {pipe.read.get()}, .observer = &observer}, shell("read -r word; echo $word"));
  EXPECT_EQ(ran.out, "[0] leave\n");
  EXPECT_TRUE(ran.end.ranks[0].ok());
}

TEST(JobObserver, EndsAJobForAReasonOfItsOwn) {
  struct : JobObserver {
    bool wants_end() override { return true; }
  } observer;
  // They have three seconds from SIGTERM to their end.
  const Ran ran =
      run_caught({.observer = &observer, .grace = std::chrono::seconds(3)}, shell("exec sleep 20"));
  EXPECT_EQ(ran.end.ranks[0].code, SIGTERM);
  EXPECT_FALSE(ran.end.first_failure);
  EXPECT_FALSE(ran.end.ok());
}

}  // namespace
}  // namespace trireme::launch
