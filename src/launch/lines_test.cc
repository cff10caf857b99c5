#include "launch/lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

#include "base/system/fd.h"

namespace trireme::launch {
namespace {

std::string all_there(const Fd& fd) {
  std::string text;
  std::string buffer(1 << 16, '\0');
  set_nonblocking(fd);
  for (ssize_t count = read_some(fd.get(), buffer); count > 0; count = read_some(fd.get(), buffer)) {
    text.append(buffer, 0, idx(count));
  }
  return text;
}

TEST(Relay, PrefixIsAsWideForEveryRank) {
  EXPECT_EQ(rank_prefix(3, 4), "[3] ");
  EXPECT_EQ(rank_prefix(3, 10), "[3] ");
  EXPECT_EQ(rank_prefix(3, 11), "[ 3] ");
  EXPECT_EQ(rank_prefix(1023, 1024), "[1023] ");
  EXPECT_EQ(rank_prefix(0, 1), "[0] ");
}

TEST(Relay, GivesLinesOnceTheyAreWhole) {
  LineCutter cutter("[0] ");
  EXPECT_EQ(cutter.take("one\ntw"), "[0] one\n");
  EXPECT_EQ(cutter.take("o"), "");
  EXPECT_EQ(cutter.take("\n\nthree\n"), "[0] two\n[0] \n[0] three\n");
  EXPECT_EQ(cutter.finish(), "");
}

TEST(Relay, EndsAnUnfinishedLastLine) {
  LineCutter cutter("[0] ");
  EXPECT_EQ(cutter.take("no end"), "");
  EXPECT_EQ(cutter.finish(), "[0] no end\n");
  EXPECT_EQ(cutter.finish(), "");
}

TEST(Relay, PassesBytesThatAreNoText) {
  LineCutter cutter("");
  const std::string bytes("a\0\xff\x1b[31m\r\n", 10);
  EXPECT_EQ(cutter.take(bytes), bytes);
}

TEST(Relay, CutsVeryLongLinesInPieces) {
  const std::string longest(LineCutter::kLongestPiece, 'x');
  LineCutter cutter("> ");
  EXPECT_EQ(cutter.take(longest), "");
  EXPECT_EQ(cutter.take(longest + "y"), "> " + longest + "\n> " + longest + "\n");
  EXPECT_EQ(cutter.take("\n"), "> y\n");
}

TEST(Relay, LeavesALineOfTheGreatestLengthWhole) {
  const std::string longest(LineCutter::kLongestPiece, 'x');
  LineCutter cutter("");
  EXPECT_EQ(cutter.take(longest + "\nnext\n"), longest + "\nnext\n");
  EXPECT_EQ(cutter.take(longest), "");
  EXPECT_EQ(cutter.take("\n"), longest + "\n");
}

TEST(Relay, WritesInOneOrderToSeveralDescriptors) {
  const Pipe pipe = make_pipe();
  const Fd twin = own(fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, 3), "copy");
  OutputQueue queue;
  queue.add(pipe.write.get(), "a\n");
  queue.add(twin.get(), "b\n");
  queue.add(pipe.write.get(), "c\n");
  EXPECT_EQ(queue.next_fd(), pipe.write.get());
  queue.write_some();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_fd(), -1);
  EXPECT_EQ(all_there(pipe.read), "a\nb\nc\n");
}

TEST(Relay, DoesNotWaitForAReaderOfABlockingPipe) {
  const Pipe pipe = make_pipe();
  OutputQueue queue;
  const std::string text(2 << 20, 'x');
  queue.add(pipe.write.get(), text);
  EXPECT_TRUE(queue.full());
  std::string got;
  for (int i = 0; i < 10000 && !queue.empty(); ++i) {
    queue.write_some();
    got += all_there(pipe.read);
  }
  EXPECT_EQ(got, text);
  EXPECT_FALSE(queue.full());
}

TEST(Relay, SaysWhyOutputCannotBeWrittenAndThrowsTheRestAway) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe = make_pipe();
  pipe.read.reset();
  OutputQueue queue;
  EXPECT_EQ(queue.error_of(pipe.write.get()), std::nullopt);
  queue.add(pipe.write.get(), "a\n");
  queue.write_some();
  EXPECT_EQ(queue.error_of(pipe.write.get()), EPIPE);
  queue.add(pipe.write.get(), "b\n");
  EXPECT_TRUE(queue.empty());
  std::signal(SIGPIPE, before);
}

TEST(Relay, GoesOnWithOneDescriptorWhenTheOtherTakesNothing) {
  const Pipe pipe = make_pipe();
  const Fd full = own(open("/dev/full", O_WRONLY | O_CLOEXEC), "open /dev/full");
  OutputQueue queue;
  queue.add(full.get(), std::string(2 << 20, 'x'));
  queue.add(pipe.write.get(), "a\n");
  queue.add(full.get(), "lost\n");
  queue.add(pipe.write.get(), "b\n");
  queue.write_some();
  EXPECT_EQ(queue.error_of(full.get()), ENOSPC);
  EXPECT_EQ(queue.error_of(pipe.write.get()), std::nullopt);
  EXPECT_FALSE(queue.full());
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(all_there(pipe.read), "a\nb\n");
}

}  // namespace
}  // namespace trireme::launch
