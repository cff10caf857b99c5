#include "base/system/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/system/fd.h"

namespace trireme {
namespace {

// Redirects a standard stream for as long as the object lives.
class Redirected {
 public:
  Redirected(int stream, const Fd& to) : stream_(stream), before_(own(::dup(stream), "keep a stream")) {
    ::dup2(to.get(), stream_);
  }
  ~Redirected() { ::dup2(before_.get(), stream_); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int stream_;
  Fd before_;
};

Fd open_full() { return own(::open("/dev/full", O_WRONLY | O_CLOEXEC), "open /dev/full"); }

Fd pipe_without_reader() { return std::move(make_pipe().write); }

TEST(Output, GoesToItsStream) {
  Pipe pipe = make_pipe();
  {
    const Redirected out(STDOUT_FILENO, pipe.write);
    const Redirected err(STDERR_FILENO, pipe.write);
    write_output("results\n");
    write_error("remarks\n");
  }
  pipe.write.reset();  // otherwise reading would wait forever if nothing was written
  std::string got(100, '\0');
  got.resize(static_cast<std::size_t>(read_some(pipe.read.get(), got)));
  EXPECT_EQ(got, "results\nremarks\n");
}

TEST(Output, OfOtherThreadsWaitsForTheOneThatHoldsIt) {
  Pipe pipe = make_pipe();
  {
    const Redirected err(STDERR_FILENO, pipe.write);
    std::jthread other;
    const auto alone = hold_output();
    other = std::jthread([] { write_error("another thread\n"); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which it would write
    write_error("this one\n");
  }
  std::string got(100, '\0');
  got.resize(static_cast<std::size_t>(read_some(pipe.read.get(), got)));
  EXPECT_EQ(got, "this one\nanother thread\n");
}

TEST(Output, SaysOnceThatItsLogTakesNoMore) {
  Pipe pipe = make_pipe();
  keep_output(open_full());
  {
    const Redirected err(STDERR_FILENO, pipe.write);
    write_error("one\n");
    write_error("two\n");
  }
  keep_output(Fd());
  std::string got(200, '\0');
  got.resize(static_cast<std::size_t>(read_some(pipe.read.get(), got)));
  EXPECT_EQ(got,
            "trireme: cannot write the log: No space left on device; going on without it: make room there\n"
            "one\ntwo\n");
}

TEST(Output, AlsoGoesToALog) {
  const Pipe pipe = make_pipe();
  keep_output(own(::dup(pipe.write.get()), "keep a log"));
  {
    const Redirected out(STDOUT_FILENO, open_full());
    const Redirected err(STDERR_FILENO, open_full());
    EXPECT_THROW(write_output("results\n"), std::runtime_error);
    write_error("remarks\n");
  }
  keep_output(Fd());
  std::string got(100, '\0');
  got.resize(static_cast<std::size_t>(read_some(pipe.read.get(), got)));
  EXPECT_EQ(got, "results\nremarks\n");
}

TEST(Output, ThatTheDiskHasNoRoomForIsAnError) {
  const Redirected out(STDOUT_FILENO, open_full());
  try {
    write_output("results\n");
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write the output: No space left on device");
  }
}

TEST(Output, WhoseReaderHasLeftEndsNothing) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  const Fd closed = pipe_without_reader();
  const Redirected out(STDOUT_FILENO, closed);
  const Redirected err(STDERR_FILENO, closed);
  EXPECT_NO_THROW(write_output("results\n"));
  write_error("remarks\n");
  std::signal(SIGPIPE, before);
}

TEST(Output, ToAFullStandardErrorIsLost) {
  const Redirected err(STDERR_FILENO, open_full());
  EXPECT_NO_THROW(write_error("remarks\n"));
}

}  // namespace
}  // namespace trireme
