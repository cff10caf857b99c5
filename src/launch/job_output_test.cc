// The output of nodes, on its way through a job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "launch/lines.h"

namespace trireme::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

Fd open_full() { return own(::open("/dev/full", O_WRONLY | O_CLOEXEC), "open /dev/full"); }

TEST(JobOutput, HasTheRankBeforeEachLineOfBothStreams) {
  const Ran ran = run_caught({.nodes = 3}, shell("echo I am $TRIREME_RANK; echo of $TRIREME_SIZE >&2"));
  EXPECT_TRUE(ran.end.ok());
  EXPECT_THAT(sorted_lines(ran.out), ElementsAre("[0] I am 0", "[1] I am 1", "[2] I am 2"));
  EXPECT_THAT(sorted_lines(ran.err), ElementsAre("[0] of 3", "[1] of 3", "[2] of 3"));
}

TEST(JobOutput, IsAlignedForTheLargestRank) {
  const Ran ran =
      run_caught({.nodes = 11}, shell("test $TRIREME_RANK != 3 -a $TRIREME_RANK != 10 || echo hi"));
  EXPECT_THAT(sorted_lines(ran.out), ElementsAre("[ 3] hi", "[10] hi"));
}

TEST(JobOutput, OfALastLineWithoutItsEndGetsOne) {
  const Ran ran = run_caught({.nodes = 2}, shell("printf 'no end'; printf 'none here' >&2"));
  EXPECT_THAT(sorted_lines(ran.out), ElementsAre("[0] no end", "[1] no end"));
  EXPECT_THAT(ran.err, EndsWith("none here\n"));
}

TEST(JobOutput, NeverHasTwoRanksInOneLine) {
  const Ran ran = run_caught({.nodes = 4}, [](Rank rank) {
    // Unbuffered: every character is a write of its own.
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    for (int i = 0; i < 200; ++i) std::printf("%s\n", std::string(20, static_cast<char>('a' + rank)).c_str());
    return 0;
  });
  const auto lines = sorted_lines(ran.out);
  ASSERT_EQ(lines.size(), 800U);
  EXPECT_EQ(lines[0], "[0] " + std::string(20, 'a'));
  EXPECT_EQ(lines[199], lines[0]);
  EXPECT_EQ(lines[799], "[3] " + std::string(20, 'd'));
  EXPECT_EQ(lines[600], lines[799]);
}

TEST(JobOutput, OfAVeryLongLineComesInPieces) {
  constexpr std::size_t kLength = 3 * LineCutter::kLongestPiece + 5;
  const Ran ran = run_caught({.nodes = 1, .prefix = false}, [](Rank) {
    std::puts(std::string(kLength, 'x').c_str());
    return 0;
  });
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), 'x'), static_cast<std::ptrdiff_t>(kLength));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
  EXPECT_EQ(ran.out.find('\n'), LineCutter::kLongestPiece);
}

TEST(JobOutput, WithoutPrefixIsWhatWasPrinted) {
  const Ran ran = run_caught({.nodes = 1, .prefix = false}, shell("printf 'a\\000\\377\\n\\nb\\n'"));
  EXPECT_EQ(ran.out, std::string("a\0\xff\n\nb\n", 7));
}

TEST(JobOutput, IsLoggedInOrderOfArrivalWithoutPrefix) {
  const ScratchFolder scratch;
  const auto logs = scratch.path() / "new" / "logs";
  // A node goes on when what it printed to one stream has arrived, and prints to the other.
  const Ran ran =
      run_caught({.nodes = 2, .logs = logs},
                 shell("await() { until grep -q $1 " + logs.string() +
                       "/rank-$TRIREME_RANK.log; do sleep 0.01; done; }; "
                       "echo one $TRIREME_RANK; await one; echo two >&2; await two; printf three"));
  EXPECT_TRUE(ran.end.ok());
  EXPECT_EQ(content(logs / "rank-0.log"), "one 0\ntwo\nthree");
  EXPECT_EQ(content(logs / "rank-1.log"), "one 1\ntwo\nthree");
}

TEST(JobOutput, ThatTheDiskHasNoRoomForFailsTheJob) {
  const Fd full = open_full();
  const JobEnd end = run_job({.nodes = 2, .out = full.get(), .grace = std::chrono::milliseconds(100)},
                             shell("echo hi; exec sleep 1000"));
  ASSERT_TRUE(end.first_failure);
  EXPECT_EQ(end.first_failure->text, "cannot write the output: No space left on device");
  EXPECT_FALSE(end.ranks[0].by_itself);
}

TEST(JobOutput, WhoseReaderHasLeftDoesNotFailTheJob) {
  Pipe pipe = make_pipe();
  pipe.read.reset();
  const ScratchFolder scratch;
  const JobEnd end = run_job({.nodes = 2, .logs = scratch.path(), .out = pipe.write.get()},
                             shell("echo hi; sleep 0.3; echo still there"));
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(content(scratch.path() / "rank-1.log"), "hi\nstill there\n");
}

TEST(JobOutput, WhoseReaderHasLeftIsNotBlamedForWhatANodeDid) {
  Pipe pipe = make_pipe();
  pipe.read.reset();
  const JobEnd end = run_job({.nodes = 1, .out = pipe.write.get()}, shell("echo hi; exit 3"));
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text, HasSubstr("exited with status 3"));
}

TEST(JobOutput, OnStandardOutputIsThereWhenStandardErrorTakesNothing) {
  Pipe pipe = make_pipe();
  const Fd full = open_full();
  const JobEnd end = run_job({.nodes = 1, .out = pipe.write.get(), .err = full.get(), .prefix = false},
                             shell("echo lost >&2; echo one; sleep 0.3; echo lost >&2; echo two"));
  EXPECT_TRUE(end.ok());
  pipe.write.reset();  // else reading would wait where nothing came
  std::string got(100, '\0');
  got.resize(idx(read_some(pipe.read.get(), got)));
  EXPECT_EQ(got, "one\ntwo\n");
}

TEST(JobOutput, ThatAllGoesToStandardErrorIsNoneToFailFor) {
  const Fd full = open_full();
  EXPECT_TRUE(run_job({.nodes = 1, .out = full.get(), .err = full.get()}, shell("echo hi")).ok());
}

TEST(JobOutput, WaitsForASlowReader) {
  Pipe pipe = make_pipe();
  std::string got;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::string buffer(1 << 16, '\0');
    for (ssize_t count = 1; count > 0;) {
      count = read_some(pipe.read.get(), buffer);
      if (count > 0) got.append(buffer, 0, idx(count));
    }
  });
  const JobEnd end = run_job({.nodes = 2, .out = pipe.write.get(), .prefix = false},
                             shell("head -c 3000000 /dev/zero | tr '\\000' x; echo"));
  pipe.write.reset();
  reader.join();
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(std::count(got.begin(), got.end(), 'x'), 6'000'000);
}

TEST(JobOutput, OfAFunctionIsFlushedWhenItReturns) {
  const Ran ran = run_caught({.nodes = 2}, [](Rank rank) {
    std::printf("printed by %d", rank);
    return 0;
  });
  EXPECT_THAT(sorted_lines(ran.out), ElementsAre("[0] printed by 0", "[1] printed by 1"));
}

TEST(JobOutput, OfTheLauncherIsNotPrintedAgainByItsNodes) {
  testing::internal::CaptureStdout();
  std::printf("mine");
  const Ran ran = run_caught({.nodes = 2}, [](Rank) { return 0; });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "mine");
  EXPECT_EQ(ran.out, "");
}

TEST(JobOutput, SaysWhatAFunctionThrew) {
  const Ran ran = run_caught({.nodes = 1}, [](Rank) -> int { throw bad_input("this is wrong", "mend it"); });
  EXPECT_EQ(ran.err, "[0] this is wrong; mend it\n");
  EXPECT_EQ(ran.end.ranks[0].code, 1);
  EXPECT_THAT(ran.end.first_failure->text, HasSubstr("exited with status 1"));
}

}  // namespace
}  // namespace trireme::launch
