#include "launch/first_failure.h"

#include <gtest/gtest.h>

#include <csignal>

namespace trireme::launch {
namespace {

RankEnd exited(int code, bool by_itself = true) { return {4711, RankEnd::How::kExited, code, by_itself, {}}; }
RankEnd killed(int signal, bool by_itself = true) {
  return {4712, RankEnd::How::kKilled, signal, by_itself, {}};
}

Failure lost_peer(std::optional<Rank> rank, std::optional<Rank> culprit) {
  Failure failure;
  failure.what = "a peer is gone";
  failure.rank = rank;
  failure.culprit = culprit;
  return failure;
}

TEST(FirstFailure, IsNoneWhereNobodyFailed) {
  const std::vector<RankEnd> ends{exited(0), exited(0)};
  EXPECT_FALSE(tell_first_failure(ends, std::nullopt, std::nullopt));
}

TEST(FirstFailure, OfAProcessSaysHowItEnded) {
  const std::vector<RankEnd> ends{exited(3), killed(SIGKILL)};
  EXPECT_EQ(tell_first_failure(ends, 0, std::nullopt)->text, "rank 0 (process 4711) exited with status 3");
  EXPECT_EQ(tell_first_failure(ends, 1, std::nullopt)->text,
            "rank 1 (process 4712) was killed by signal 9 (Killed)");
  EXPECT_EQ(tell_first_failure(ends, 1, std::nullopt)->rank, 1);
}

TEST(FirstFailure, ThatWasReportedIsSaidAsReported) {
  const std::vector<RankEnd> ends{exited(0), killed(SIGTERM, false)};
  const auto first = tell_first_failure(ends, std::nullopt, lost_peer(0, 1));
  EXPECT_EQ(first->text, "rank 0: a peer is gone");
  EXPECT_EQ(first->rank, 1);
}

TEST(FirstFailure, ReportedOfANodeThatEndedBadlySaysBoth) {
  const std::vector<RankEnd> ends{exited(1), killed(SIGSEGV)};
  EXPECT_EQ(tell_first_failure(ends, 1, lost_peer(0, 1))->text,
            "rank 1 (process 4712) was killed by signal 11 (Segmentation fault); rank 0: a peer is gone");
  EXPECT_EQ(tell_first_failure(ends, 1, lost_peer(0, std::nullopt))->text,
            "rank 0 (process 4711) exited with status 1; rank 0: a peer is gone");
}

TEST(FirstFailure, ByAnExceptionSaysWhatOnlyItKnows) {
  std::vector<RankEnd> ends{exited(1), killed(SIGABRT)};
  ends[1].exception = "out of luck";
  const std::string aborted = "rank 1 (process 4712) was killed by signal 6 (Aborted)";
  EXPECT_EQ(tell_first_failure(ends, 1, std::nullopt)->text, aborted + ": out of luck");
  Failure report = lost_peer(0, 1);
  report.cause = Failure::Cause::kPeerLost;
  EXPECT_EQ(tell_first_failure(ends, 1, report)->text, aborted + ": out of luck; rank 0: a peer is gone");
  report = lost_peer(1, std::nullopt);
  report.cause = Failure::Cause::kFailed;
  EXPECT_EQ(tell_first_failure(ends, 1, report)->text, aborted + "; rank 1: a peer is gone");
  ends[1].exception = std::string(1000, 'x');
  EXPECT_EQ(tell_first_failure(ends, 1, std::nullopt)->text, aborted + ": " + std::string(300, 'x') + "…");
  ends[1].code = SIGKILL;
  EXPECT_EQ(tell_first_failure(ends, 1, std::nullopt)->text,
            "rank 1 (process 4712) was killed by signal 9 (Killed)");
}

TEST(FirstFailure, DoesNotBlameTheOneWhoReportsForANodeThatHangs) {
  const std::vector<RankEnd> ends{exited(1), killed(SIGKILL, false)};
  EXPECT_EQ(tell_first_failure(ends, 0, lost_peer(0, 1))->text, "rank 0: a peer is gone");
}

TEST(FirstFailure, OfADeadlineIsThatOfTheNodeThatIsStopped) {
  RankEnd stopped = killed(SIGKILL, false);
  stopped.stopped = true;
  const std::vector<RankEnd> ends{exited(1), exited(1), stopped};
  Failure late = lost_peer(0, 1);
  late.cause = Failure::Cause::kTimeout;
  const auto first = tell_first_failure(ends, 0, late);
  EXPECT_EQ(first->text, "rank 2 (process 4712) was stopped; rank 0: a peer is gone");
  EXPECT_EQ(first->rank, 2);
  EXPECT_EQ(tell_first_failure(ends, 0, lost_peer(0, 1))->rank, 1) << "not of any other failure";
}

TEST(FirstFailure, MayBeThatANodeHasLeftInPeace) {
  const std::vector<RankEnd> ends{exited(1), exited(0)};
  Failure lost = lost_peer(0, 1);
  lost.cause = Failure::Cause::kPeerLost;
  EXPECT_EQ(tell_first_failure(ends, 0, lost)->text,
            "rank 1 (process 4711) exited with status 0 before the others were done; rank 0: a peer is gone");
}

TEST(FirstFailure, OfAProcessThatWasKilledBySigkillNamesTheUsualCause) {
  RankEnd end = killed(SIGKILL);
  Failure lost = lost_peer(0, 1);
  lost.hint = "look at the output of rank 1";
  for (const bool silent : {false, true}) {
    end.silent = silent;
    const std::vector<RankEnd> ends{exited(1), end};
    const auto first = tell_first_failure(ends, 1, lost, 0, "logs");
    EXPECT_EQ(first->text, "rank 1 (process 4712) was killed by signal 9 (Killed); rank 0: a peer is gone");
    EXPECT_EQ(first->hint,
              "most often the kernel does so, when memory runs out: see dmesg | grep -i oom, and start fewer "
              "nodes");
  }
}

TEST(FirstFailure, SendsToTheOutputOfWhoeverHasPrintedSomething) {
  RankEnd end = killed(SIGSEGV);
  Failure lost = lost_peer(0, 1);
  lost.hint = "look at the output of rank 1";
  EXPECT_EQ(tell_first_failure(std::vector{exited(1), end}, 1, lost)->hint, "look at the output of rank 1");
  EXPECT_EQ(tell_first_failure(std::vector{exited(1), end}, 1, lost, 0, "logs")->hint, "see logs/rank-1.log");
  end.silent = true;
  EXPECT_EQ(tell_first_failure(std::vector{exited(1), end}, 1, lost, 0, "logs")->hint,
            "have it leave a core file to look at: ulimit -c unlimited");
}

TEST(FirstFailure, KeepsWhatANodeSaysOfItself) {
  Failure own = lost_peer(0, std::nullopt);
  own.hint = "try a lower rate";
  const auto first = tell_first_failure(std::vector{exited(1), exited(1)}, 0, own, 0, "logs");
  EXPECT_EQ(first->text,
            "rank 0 (process 4711) exited with status 1; rank 0: a peer is gone; try a lower rate");
  EXPECT_EQ(first->hint, "");
}

TEST(FirstFailure, IsOneLineEvenWhereTheReportIsNone) {
  Failure failure;
  failure.what = "two\nlines";
  failure.culprit = 99;
  EXPECT_EQ(tell_first_failure({}, std::nullopt, failure)->text, "two?lines");
}

}  // namespace
}  // namespace trireme::launch
