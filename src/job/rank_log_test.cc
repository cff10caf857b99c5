#include "job/rank_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>

#include "base/fd.h"
#include "base/scratch_folder_test_util.h"

namespace trireme {
namespace {

// Runs it in a process of its own whose output goes to a file, and returns that.
std::string printed_by(const ScratchFolder& folder, const std::function<void()>& body) {
  const std::string file = folder.write("printed", "");
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND);
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    keep_log(folder.path(), 3);
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  // The last words come when it has ended already.
  for (int look = 0; look < 2000 && !content(file).ends_with("last\n"); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return content(file);
}

TEST(KeepLog, HasWhatWasPrintedOnBothStreams) {
  const ScratchFolder folder;
  const std::string printed = printed_by(folder, [] {
    write_all(STDOUT_FILENO, std::string_view("out\n"));
    write_all(STDERR_FILENO, std::string_view("err\n"));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // streams have no order among each other
    write_all(STDOUT_FILENO, std::string_view("last\n"));
  });
  EXPECT_NE(printed.find("out\n"), std::string::npos);
  EXPECT_NE(printed.find("err\n"), std::string::npos);
  EXPECT_EQ(content(folder.path() / "rank-3.log"), printed);
}

TEST(KeepLog, HasTheLastWordsOfAProcessThatIsKilled) {
  const ScratchFolder folder;
  EXPECT_EQ(printed_by(folder,
                       [] {
                         write_all(STDOUT_FILENO, std::string_view("last\n"));
                         ::raise(SIGKILL);
                       }),
            "last\n");
  EXPECT_EQ(content(folder.path() / "rank-3.log"), "last\n");
}

TEST(KeepLog, PassesOnWhatDoesNotFitIntoTheLog) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path() / "rank-3.log");
  EXPECT_EQ(printed_by(folder, [] { write_all(STDOUT_FILENO, std::string_view("last\n")); }), "last\n");
}

}  // namespace
}  // namespace trireme
