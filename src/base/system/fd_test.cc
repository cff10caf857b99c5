#include "base/system/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.h"

namespace trireme {
namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesWhatItOwnsAndNothingElse) {
  int number = -1;
  {
    const Pipe pipe = make_pipe();
    number = pipe.read.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(Fd());
}

TEST(Fd, OfAPipeDoesNotSurviveAnExec) {
  const Pipe pipe = make_pipe();
  EXPECT_NE(fcntl(pipe.read.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(pipe.write.get(), F_GETFD) & FD_CLOEXEC, 0);
}

// The function's result in a forked child.
template <typename Function>
int in_child(Function function) {
  const pid_t child = fork();
  if (child == 0) _exit(function());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fd, NeverTakesThePlaceOfAClosedStandardStream) {
  EXPECT_EQ(in_child([] {
              close(STDIN_FILENO);
              close(STDOUT_FILENO);
              const Pipe pipe = make_pipe();
              const Fd file = own(open("/dev/null", O_RDONLY | O_CLOEXEC), "open /dev/null");
              const bool above = pipe.read.get() > 2 && pipe.write.get() > 2 && file.get() > 2;
              return above && !is_open(0) && !is_open(1) ? 0 : 1;
            }),
            0);
}

TEST(Fd, OfAClosedStandardStreamIsOccupiedByWhatTakesNothing) {
  EXPECT_EQ(in_child([] {
              close(STDIN_FILENO);
              close(STDERR_FILENO);
              occupy_standard_streams();
              const bool takes_nothing = write(STDERR_FILENO, "x", 1) < 0 && errno == EBADF;
              char byte = 0;
              const bool gives_nothing = read(STDIN_FILENO, &byte, 1) < 0 && errno == EBADF;
              return takes_nothing && gives_nothing && open("/dev/null", O_WRONLY) > STDERR_FILENO ? 0 : 1;
            }),
            0);
}

TEST(Fd, ClosesAllButThoseToKeep) {
  EXPECT_EQ(in_child([] {
              const Pipe a = make_pipe();
              const Pipe b = make_pipe();
              const std::array<int, 3> keep{1, a.write.get(), b.read.get()};
              close_all_but(keep);
              const bool kept = is_open(1) && is_open(a.write.get()) && is_open(b.read.get());
              return kept && !is_open(0) && !is_open(a.read.get()) && !is_open(b.write.get()) ? 0 : 1;
            }),
            0);
}

TEST(Fd, SaysWhyItCouldNotBeHad) {
  try {
    (void)own(open("/no/such/file", O_RDONLY), "read the file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("cannot read the file: No such file or directory"), 0U);
  }
}

}  // namespace
}  // namespace trireme
