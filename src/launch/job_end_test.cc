// How jobs end: well, by a failure, and never by waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "wire/shm/segment.h"

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;
using ::testing::MatchesRegex;

constexpr const char* kForever = "exec sleep 1000";

TEST(JobEnd, IsGoodWhenEveryNodeReturnsZero) {
  const Ran ran = run_caught({.nodes = 3}, program({"true"}));
  EXPECT_TRUE(ran.end.ok());
  EXPECT_EQ(ran.end.ranks.size(), 3U);
  for (const RankEnd& end : ran.end.ranks) {
    EXPECT_TRUE(end.ok());
    EXPECT_TRUE(end.by_itself);
    EXPECT_FALSE(is_there(end.process));
  }
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST(JobEnd, IsGoodForManyNodes) { EXPECT_TRUE(run_caught({.nodes = 200}, program({"true"})).end.ok()); }

TEST(JobEnd, SaysWhichNodeExitedFirstWithWhatStatus) {
  const ScratchFolder scratch;
  const Ran ran = run_caught({.nodes = 3, .logs = scratch.path(), .grace = 100ms},
                             shell("test $TRIREME_RANK != 2 || { echo so; exit 3; }; exec sleep 1000"));
  ASSERT_TRUE(ran.end.first_failure);
  EXPECT_THAT(ran.end.first_failure->text, MatchesRegex("rank 2 \\(process [0-9]+\\) exited with status 3"));
  EXPECT_EQ(ran.end.first_failure->rank, 2);
  EXPECT_EQ(ran.end.first_failure->hint, "see " + (scratch.path() / "rank-2.log").string());
  EXPECT_TRUE(ran.end.ranks[2].by_itself);
  EXPECT_EQ(ran.end.ranks[0].how, RankEnd::How::kKilled);
  EXPECT_FALSE(ran.end.ranks[0].by_itself);
}

TEST(JobEnd, SaysWhichNodeWasKilled) {
  WhenStarted observer([](std::span<const pid_t> ids) { kill(ids[1], SIGKILL); });
  const Ran ran = run_caught({.nodes = 2, .observer = &observer, .grace = 100ms}, shell(kForever));
  ASSERT_TRUE(ran.end.first_failure);
  EXPECT_THAT(ran.end.first_failure->text,
              MatchesRegex("rank 1 \\(process [0-9]+\\) was killed by signal 9 \\(Killed\\)"));
}

TEST(JobEnd, SaysWhichExceptionNobodyCaught) {
  for (const bool prefix : {true, false}) {
    const Ran ran = run_caught(
        {.nodes = 2, .prefix = prefix, .grace = 100ms},
        shell("test $TRIREME_RANK = 1 || exec sleep 1000; echo '  what():  not this'; "
              "printf \"terminate called after throwing\\n  what():  no wheel\\001\\nmore of it\\n\" >&2; "
              "kill -ABRT $$"));
    ASSERT_TRUE(ran.end.first_failure);
    EXPECT_THAT(
        ran.end.first_failure->text,
        MatchesRegex("rank 1 \\(process [0-9]+\\) was killed by signal 6 \\(Aborted\\): no wheel\\?"));
  }
}

TEST(JobEnd, SendsNobodyToTheOutputOfANodeThatPrintedNothing) {
  const ScratchFolder scratch;
  const Ran ran = run_caught({.nodes = 2, .logs = scratch.path(), .grace = 100ms},
                             shell("test $TRIREME_RANK != 1 || exit 3; exec sleep 1000"));
  ASSERT_TRUE(ran.end.first_failure);
  EXPECT_TRUE(ran.end.ranks[1].silent);
  EXPECT_EQ(ran.end.first_failure->hint, "it printed nothing: have it say why it ends");
}

TEST(JobEnd, LeavesTheOthersTimeToReportAfterAFailure) {
  const Ran ran = run_caught({.nodes = 2, .grace = 60s},
                             shell("test $TRIREME_RANK = 0 || exit 1; sleep 0.5; echo last words"));
  EXPECT_EQ(ran.out, "[0] last words\n");
  EXPECT_TRUE(ran.end.ranks[0].ok());
  EXPECT_EQ(ran.end.first_failure->rank, 1);
}

TEST(JobEnd, ComesBySigtermToThoseWhoStay) {
  // They have three seconds from SIGTERM to their end.
  const Ran ran =
      run_caught({.nodes = 2, .grace = 3s}, shell("test $TRIREME_RANK = 0 || exit 1; exec sleep 1000"));
  EXPECT_EQ(ran.end.ranks[0].code, SIGTERM);
}

TEST(JobEnd, ComesBySigkillToThoseWhoIgnoreSigterm) {
  const ScratchFolder scratch;
  const std::string ready = (scratch.path() / "ready").string();
  const Ran ran =
      run_caught({.nodes = 2, .grace = 100ms},
                 shell("ready=" + ready +
                       "; if [ $TRIREME_RANK = 1 ]; then until [ -e $ready ]; do sleep 0.01; done; "
                       "exit 1; fi; trap '' TERM; : > $ready; while :; do sleep 0.05; done"));
  EXPECT_EQ(ran.end.ranks[0].code, SIGKILL);
  EXPECT_EQ(ran.end.first_failure->rank, 1);
}

TEST(JobEnd, ComesToAStoppedNodeByTheWordOfAnother) {
  Failure failure;
  failure.what = "rank 1 does not answer";
  failure.rank = 0;
  failure.culprit = 1;
  failure.hint = "is it stopped?";
  const auto memory = wire::shm::Segment::create(2);
  WhenStarted observer([&](std::span<const pid_t> ids) {
    kill(ids[1], SIGSTOP);
    memory->fail(failure);
  });
  const ScratchFolder scratch;
  const Ran ran = run_caught(
      {.nodes = 2, .logs = scratch.path(), .memory = memory, .observer = &observer, .grace = 200ms},
      shell(kForever));
  EXPECT_EQ(ran.end.ranks[1].code, SIGKILL);
  EXPECT_THAT(
      ran.end.first_failure->text,
      MatchesRegex(
          "rank 1 \\(process [0-9]+\\) was stopped; rank 0: rank 1 does not answer; is it stopped\\?"));
  EXPECT_EQ(ran.end.first_failure->hint, "");
}

TEST(JobEnd, ComesAtOnceWhereOnlyNodesAreLeftThatAreStopped) {
  WhenStarted observer([](std::span<const pid_t> ids) { kill(ids[1], SIGSTOP); });
  const Ran ran = run_caught({.nodes = 2, .observer = &observer, .grace = 30s},
                             shell("test $TRIREME_RANK = 1 || exit 3; exec sleep 1000"));
  EXPECT_LT(ran.end.elapsed, 30s);
  EXPECT_EQ(ran.end.ranks[1].code, SIGKILL);
  EXPECT_TRUE(ran.end.ranks[1].stopped);
}

TEST(JobEnd, ComesWhereAllNodesAreStoppedForLongerThanTheTimeout) {
  const Ran ran =
      run_caught({.nodes = 2, .timeout = 100ms, .grace = 30s}, shell("kill -STOP $$; exec sleep 1000"));
  ASSERT_TRUE(ran.end.first_failure);
  EXPECT_THAT(ran.end.first_failure->text,
              MatchesRegex("rank 0 \\(process [0-9]+\\) was stopped; so were all nodes that had not ended "
                           "\\(ranks 0, 1\\) for longer than 100 ms; let a stopped node go on sooner .*"));
  EXPECT_LT(ran.end.elapsed, 30s);
  EXPECT_TRUE(ran.end.ranks[0].stopped);
  EXPECT_TRUE(ran.end.ranks[1].stopped);
}

TEST(JobEnd, ComesWhereTheOnlyNodeThatHasNotEndedIsStoppedForLongerThanTheTimeout) {
  const Ran ran = run_caught({.nodes = 2, .timeout = 100ms, .grace = 30s},
                             shell("test $TRIREME_RANK = 0 || kill -STOP $$"));
  ASSERT_TRUE(ran.end.first_failure);
  EXPECT_EQ(ran.end.first_failure->rank, 1);
  EXPECT_THAT(
      ran.end.first_failure->text,
      MatchesRegex("rank 1 \\(process [0-9]+\\) was stopped; it was so for longer than 100 ms, and all "
                   "others had ended; let .*"));
}

TEST(JobEnd, DoesNotComeToNodesThatAreStoppedForLessThanTheTimeout) {
  std::jthread other;
  WhenStarted observer([&](std::span<const pid_t> ids) {
    other = std::jthread([nodes = std::vector(ids.begin(), ids.end())] {
      for (const pid_t id : nodes) EXPECT_TRUE(comes_true([&] { return state_letter_of(id) == 'T'; }));
      std::this_thread::sleep_for(1500ms);  // it is looked twice a second
      for (const pid_t id : nodes) kill(id, SIGCONT);
    });
  });
  const Ran ran =
      run_caught({.nodes = 2, .timeout = 1h, .observer = &observer}, shell("kill -STOP $$; exit 0"));
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobEnd, TellsBothWhenTheNodeThatIsBlamedWasKilled) {
  Failure failure;
  failure.what = "rank 1 is gone";
  failure.rank = 0;
  failure.culprit = 1;
  const auto memory = wire::shm::Segment::create(2);
  WhenStarted observer([&](std::span<const pid_t> ids) {
    kill(ids[1], SIGKILL);
    ASSERT_TRUE(comes_true([&] { return !is_there(ids[1]); }));
    memory->fail(failure);
  });
  const Ran ran =
      run_caught({.nodes = 2, .memory = memory, .observer = &observer, .grace = 300ms}, shell(kForever));
  EXPECT_THAT(ran.end.first_failure->text,
              MatchesRegex(
                  "rank 1 \\(process [0-9]+\\) was killed by signal 9 \\(Killed\\); rank 0: rank 1 is gone"));
}

TEST(JobEnd, OfANodeIsSeenByTheOthersInTheMemoryThatTheyShare) {
  const auto memory = wire::shm::Segment::create(2);
  const Ran ran = run_caught({.nodes = 2, .memory = memory}, [&](Rank rank) {
    return rank == 0 || comes_true([&] { return memory->has_ended(0); }) ? 0 : 1;
  });
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobEnd, IsNotHeldUpByWhatANodeLeavesBehind) {
  const Ran ran = run_caught({.nodes = 2}, shell("sleep 1000 & echo $!"));
  EXPECT_TRUE(ran.end.ok());
  std::istringstream lines(ran.out);
  int found = 0;
  for (std::string line; std::getline(lines, line); ++found) {
    EXPECT_TRUE(comes_true([&] { return !is_there(std::stoi(line.substr(4))); })) << line;
  }
  EXPECT_EQ(found, 2);
}

TEST(JobEnd, IsNotHeldUpByAProcessThatEscaped) {
  const Ran ran = run_caught({.nodes = 1}, shell("setsid sleep 1000 & echo $!; printf 'no end'"));
  EXPECT_TRUE(ran.end.ok());
  const int escaped = std::stoi(ran.out.substr(4));
  EXPECT_EQ(ran.out, "[0] " + std::to_string(escaped) + "\n[0] no end\n");
  ASSERT_GT(escaped, 1);
  kill(escaped, SIGKILL);
}

TEST(JobEnd, WithAProgramThatCannotBeExecutedIsBadInput) {
  const ScratchFolder scratch;
  const std::string script = scratch.script("bad", "#!/no/such/interpreter\n");
  std::vector<pid_t> processes;
  WhenStarted observer([&](std::span<const pid_t> ids) { processes.assign(ids.begin(), ids.end()); });
  try {
    (void)run_caught({.nodes = 3, .observer = &observer}, program({script}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_EQ(std::string(error.what()), "cannot start '" + script +
                                             "': No such file or directory; look at its first line, "
                                             "#!/no/such/interpreter");
  }
  ASSERT_EQ(processes.size(), 3U);
  for (const pid_t process : processes) EXPECT_FALSE(is_there(process));
}

TEST(JobEnd, ByAnExceptionOfTheObserverLeavesNothing) {
  std::vector<pid_t> processes;
  WhenStarted observer([&](std::span<const pid_t> ids) {
    processes.assign(ids.begin(), ids.end());
    throw std::runtime_error("from the observer");
  });
  EXPECT_THROW((void)run_caught({.nodes = 2, .observer = &observer}, shell(kForever)), std::runtime_error);
  ASSERT_EQ(processes.size(), 2U);
  for (const pid_t process : processes) EXPECT_FALSE(is_there(process));
}

TEST(JobEnd, OfTooManyOrNoNodesComesBeforeAnyStarts) {
  for (const Rank nodes : {0, -1, 1025}) {
    bool started = false;
    WhenStarted observer([&](auto) { started = true; });
    EXPECT_THROW((void)run_job({.nodes = nodes, .observer = &observer}, [](Rank) { return 0; }), Error);
    EXPECT_FALSE(started);
  }
}

}  // namespace
}  // namespace trireme::launch
