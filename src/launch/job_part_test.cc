// A job of which only a part runs on this host, and what its launcher can hook into.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "launch/relay.h"

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

TEST(JobHooks, GiveEachNodeItsOwnInput) {
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

TEST(JobHooks, MayKeepALineOrChangeIt) {
  JobOptions options{.nodes = 1, .prefix = false};
  options.line = [](Rank, NodeOutput, std::string& line) {
    line += "!";
    return line != "kept!";
  };
  EXPECT_EQ(run_caught(options, shell("echo one; echo kept; printf two")).out, "one!\ntwo!\n");
}

TEST(JobHooks, TellALineOfStandardErrorFromOneOfStandardOutput) {
  JobOptions options{.nodes = 1};
  options.line = [](Rank, NodeOutput which, std::string&) { return which == NodeOutput::kErr; };
  const Ran ran = run_caught(options, shell("echo out; echo err >&2"));
  EXPECT_EQ(ran.out + ran.err, "[0] err\n");
}

TEST(JobHooks, SeeALineThatAnotherJobHasPassedOnInOnePiece) {
  const std::string longest(LineCutter::kLongestPiece, 'x');
  JobOptions options{.nodes = 1, .prefix = false};
  std::size_t lines = 0;
  options.line = [&](Rank, NodeOutput, std::string&) { return ++lines > 0; };
  run_caught(options, [&](Rank) { return std::puts(("[17] " + longest).c_str()) < 0 ? 1 : 0; });
  EXPECT_EQ(lines, 1U);
}

TEST(JobHooks, WriteALineForEachEnd) {
  JobOptions options{.nodes = 1};
  options.end_line = [](Rank rank, const RankEnd& end) {
    return "rank " + std::to_string(rank) + " has ended with " + std::to_string(end.code) + "\n";
  };
  EXPECT_EQ(run_caught(options, shell("exit 3")).out, "rank 0 has ended with 3\n");
}

TEST(JobHooks, MayHaveSignalsFromElsewhere) {
  JobOptions options{.nodes = 1};
  bool started = false, sent = false;
  options.started = [&](std::span<const pid_t>) { started = true; };
  options.more_signals = [&]() -> std::vector<int> {
    if (!started || sent) return {};
    sent = true;
    return {SIGTERM};
  };
  const Ran ran = run_caught(options, shell("exec sleep 1000"));
  EXPECT_EQ(ran.end.interrupted, SIGTERM);
  EXPECT_EQ(ran.end.ranks[0].code, SIGTERM);
}

TEST(JobHooks, MayDeliverASignalInAnotherWay) {
  JobOptions options{.nodes = 1};
  Pipe pipe = make_pipe();
  options.inputs = {pipe.read.get()};
  bool sent = false;
  options.more_signals = [&]() -> std::vector<int> {
    if (sent) return {};
    sent = true;
    return {SIGINT};
  };
  options.deliver = [&](Rank, int signal) {
    return signal == SIGINT && write_all(pipe.write.get(), std::string("leave\n"));
  };
  const Ran ran = run_caught(options, shell("read -r word; echo $word"));
  EXPECT_EQ(ran.out, "[0] leave\n");
  EXPECT_TRUE(ran.end.ranks[0].ok());
}

}  // namespace
}  // namespace trireme::launch
