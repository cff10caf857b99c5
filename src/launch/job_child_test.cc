// The surroundings that a node's process finds when it starts.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/text.h"
#include "launch/job.h"
#include "launch/launch_test_util.h"
#include "wire/shm/segment.h"
#include "world/environment.h"
#include "world/world.h"

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;

TEST(JobChild, FindsItsWorld) {
  setenv(world::environment::kSegment, "99", 1);  // of an outer job
  setenv("TRIREME_TEST_KEPT", "kept", 1);
  setenv("TRIREME_TEST_ADDED", "replaced", 1);
  const Ran ran =
      run_caught({.nodes = 1, .timeout = 1500ms, .environment = {{"TRIREME_TEST_ADDED", "added"}}},
                 shell("echo $TRIREME_RANK $TRIREME_SIZE $TRIREME_TIMEOUT "
                       "${TRIREME_SEGMENT-none} $TRIREME_TEST_KEPT $TRIREME_TEST_ADDED"));
  unsetenv(world::environment::kSegment);
  unsetenv("TRIREME_TEST_KEPT");
  unsetenv("TRIREME_TEST_ADDED");
  EXPECT_EQ(ran.out, "[0] 0 1 1.5 none kept added\n");
}

TEST(JobChild, ThatIsAFunctionFindsItsWorldToo) {
  const Ran ran =
      run_caught({.nodes = 2, .environment = {{world::environment::kSegment, "7"}}}, [](Rank rank) {
        const world::FoundWorld world = world::find_world();
        return world.rank == rank && world.size == 2 && world.segment_fd == 7 && world.timeout == 60s ? 0 : 1;
      });
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobChild, FindsTheMemoryThatTheJobShares) {
  const Ran ran = run_caught({.nodes = 2, .memory = wire::shm::Segment::create(2)}, [](Rank) {
    const std::optional<int> fd = world::find_world().segment_fd;
    return fd && wire::shm::Segment::open(*fd)->nodes() == 2 ? 0 : 1;
  });
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobChild, ReadsNothingFromStandardInput) {
  EXPECT_EQ(run_caught({.nodes = 1}, shell("cat; echo end")).out, "[0] end\n");
}

TEST(JobChild, LeadsAProcessGroupOfItsOwn) {
  std::vector<pid_t> groups;
  std::vector<pid_t> processes;
  WhenStarted observer([&](std::span<const pid_t> ids) {
    for (const pid_t id : ids) {
      processes.push_back(id);
      groups.push_back(getpgid(id));
    }
  });
  const Ran ran = run_caught({.nodes = 2, .observer = &observer}, shell("sleep 0.2"));
  EXPECT_EQ(groups, processes);
  EXPECT_EQ(ran.end.ranks[1].process, processes[1]);
}

TEST(JobChild, HasOnlyTheStandardStreamsAndWhatItInherits) {
  const Pipe pipe = make_pipe();
  const Fd inherited(fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, 77));
  const Fd not_inherited(fcntl(pipe.write.get(), F_DUPFD, 88));
  const ScratchFolder scratch;
  const Ran ran =
      run_caught({.nodes = 2, .logs = scratch.path(), .inherited_fds = {inherited.get()}},
                 shell("test $TRIREME_RANK = 0 || exec ls /proc/self/fd"));  // ls opens that folder as 3
  const std::vector<std::string_view> lines = split(ran.out, '\n');
  // The line after the last one is empty. Besides, there is the pipe by which the node ends with the
  // launcher.
  EXPECT_EQ(lines.size(), 7) << ran.out;
  for (const int fd : {0, 1, 2, 3, inherited.get()}) {
    EXPECT_THAT(lines, testing::Contains("[1] " + std::to_string(fd)));
  }
}

TEST(JobChild, ThatIsAFunctionHoldsNothingElseThatSurvivesAnExec) {
  const Pipe pipe = make_pipe();
  const Ran ran = run_caught({.nodes = 3, .inherited_fds = {pipe.write.get()}}, [&](Rank) {
    int open = 0;
    int survive = 0;
    for (int fd = 0; fd < 1024; ++fd) {
      const int flags = fcntl(fd, F_GETFD);
      if (flags < 0) continue;
      ++open;
      if ((flags & FD_CLOEXEC) == 0) ++survive;
    }
    // Besides, one end of a pipe by which it could tell of a failed exec, and one of that by which it ends
    // with the launcher.
    return open == 6 && survive == 5 && fcntl(pipe.write.get(), F_GETFD) == 0 ? 0 : 1;
  });
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobChild, TakesSignalsAsBeforeTheJob) {
  const Ran ran = run_caught({.nodes = 2}, [](Rank) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD}) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_DFL || sigismember(&mask, signal) != 0) return 1;
    }
    return 0;
  });
  EXPECT_TRUE(ran.end.ok());
}

TEST(JobChild, OfALauncherWhoseChildrenAreIgnoredIsStillSeenToEnd) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Ran ran = run_caught({.nodes = 1}, shell("exit 3"));
  std::signal(SIGCHLD, before);
  EXPECT_EQ(ran.end.ranks[0].code, 3);
}

TEST(JobChild, OfOneJobDoesNotMeetThoseOfAnother) {
  const auto run_one = [](const std::string& name, std::string& out) {
    out = run_caught({.nodes = 4, .prefix = false}, shell("sleep 0.2; echo " + name)).out;
  };
  std::string a;
  std::string b;
  std::thread other([&] { run_one("b", b); });
  run_one("a", a);
  other.join();
  EXPECT_EQ(a, "a\na\na\na\n");
  EXPECT_EQ(b, "b\nb\nb\nb\n");
}

}  // namespace
}  // namespace trireme::launch
