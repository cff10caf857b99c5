#include "launch/guardian.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "launch/launch_test_util.h"

namespace trireme {
namespace {

// A process that leads a group and does nothing. All that is open here stays open in it.
pid_t start_sleeper() {
  const pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    std::this_thread::sleep_for(std::chrono::seconds(1000));
    _exit(0);
  }
  if (process < 0) std::abort();  // before anybody kills −1
  setpgid(process, process);
  return process;
}

int end_of(pid_t process) {
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

TEST(Guardian, KillsWhatWasNotTakenBack) {
  const pid_t taken_back = start_sleeper();
  const pid_t left = start_sleeper();
  {
    Guardian guardian;
    guardian.watch(0, taken_back);
    guardian.watch(1023, left);
    guardian.forget(0);
  }
  EXPECT_EQ(end_of(left), SIGKILL);
  EXPECT_TRUE(is_there(taken_back));
  kill(taken_back, SIGKILL);
  EXPECT_EQ(end_of(taken_back), SIGKILL);
}

TEST(Guardian, LeavesNoZombie) {
  const std::string self = std::to_string(getpid());
  const std::string children = "/proc/" + self + "/task/" + self + "/children";
  const std::string before = content(children);
  {
    const Guardian guardian;
    EXPECT_NE(content(children), before);
  }
  EXPECT_EQ(content(children), before);
}

TEST(Guardian, SeesTheLauncherEndThoughSomebodyHoldsItsPipe) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "id";
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    Guardian guardian;
    const pid_t sleeper = start_sleeper();  // holds the pipe
    guardian.watch(0, sleeper);
    std::ofstream(file) << sleeper << std::endl;
    std::this_thread::sleep_for(std::chrono::seconds(1000));
    _exit(0);
  }
  pid_t sleeper = 0;
  ASSERT_TRUE(comes_true([&] { return content(file).ends_with('\n'); }));
  std::ifstream(file) >> sleeper;
  EXPECT_TRUE(is_there(sleeper));
  kill(launcher, SIGKILL);
  EXPECT_EQ(end_of(launcher), SIGKILL);
  EXPECT_TRUE(comes_true([&] { return !is_there(sleeper); }));
}

TEST(Guardian, HoldsNothingElseOpen) {
  Pipe pipe = make_pipe();
  const Guardian guardian;
  pipe.write.reset();
  set_nonblocking(pipe.read);
  // Once the guardian has closed its copy, the end of the file is there.
  std::string byte(1, '\0');
  EXPECT_TRUE(comes_true([&] { return read_some(pipe.read.get(), byte) == 0; }));
}

TEST(Guardian, IsNotMissedWhenItWasKilled) {
  const std::string self = std::to_string(getpid());
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // as in a job
  {
    Guardian guardian;
    std::ifstream children("/proc/" + self + "/task/" + self + "/children");
    pid_t process = 0;
    while (children >> process) continue;
    ASSERT_GT(process, 1);
    kill(process, SIGKILL);
    ASSERT_TRUE(comes_true([&] { return !is_there(process); }));
    guardian.forget(0);
  }
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace trireme
