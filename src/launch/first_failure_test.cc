#include "launch/first_failure.h"

#include <gtest/gtest.h>

#include <csignal>

namespace trireme {
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

TEST(FirstFailure, IsOneLineEvenWhereTheReportIsNone) {
  Failure failure;
  failure.what = "two\nlines";
  failure.culprit = 99;
  EXPECT_EQ(tell_first_failure({}, std::nullopt, failure)->text, "two?lines");
}

}  // namespace
}  // namespace trireme
