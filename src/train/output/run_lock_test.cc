#include "train/output/run_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <memory>

#include "data/data_test_util.h"

namespace trireme::train {
namespace {

using testing::HasSubstr;

// Returns the message for whoever asks for the folder.
std::string answer_in(const std::filesystem::path& folder) {
  return data::refusal_of([&] { return lock_run_folder(folder); });
}

// A process of a job, which ends when it is told to.
class Forked {
 public:
  explicit Forked(const std::function<void()>& body) {
    process_ = ::fork();
    if (process_ != 0) return;
    body();
    pause();
    ::_exit(0);
  }
  ~Forked() { end(); }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  void end() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
};

// Waits for a byte.
void await(const Fd& fd) {
  std::array<char, 1> byte{};
  ASSERT_EQ(read_some(fd.get(), byte), 1);
}

TEST(RunLock, OfARunningJobNamesItsProcess) {
  const ScratchFolder folder;
  const Pipe told = make_pipe();
  Forked job([&] {
    static const Fd lock = lock_run_folder(folder.path());
    write_all(told.write.get(), std::string_view("x"));
  });
  await(told.read);
  const std::string name = folder.path();
  EXPECT_EQ(answer_in(folder.path()), name + " is in use by process " + std::to_string(job.process()) +
                                          "; wait until that has ended, or take another folder, such as " +
                                          name + "-2");
  job.end();
  EXPECT_EQ(answer_in(folder.path()), "accepted");
}

TEST(RunLock, IsKeptByNodesThatOutliveTheirLauncher) {
  const ScratchFolder folder;
  Pipe job = make_pipe();
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    const Fd lock = lock_run_folder(folder.path());
    if (::fork() == 0) {
      job.write.reset();
      std::array<char, 1> byte{};
      (void)read_some(job.read.get(), byte);  // until the test closes the other end
    }
    ::_exit(0);
  }
  ::waitpid(launcher, nullptr, 0);
  EXPECT_THAT(answer_in(folder.path()), HasSubstr(" is in use by nodes that process " +
                                                  std::to_string(launcher) + " has left behind; wait"));
}

TEST(RunLock, IsTakenByOneOfManyThatComeAtOnce) {
  constexpr int kJobs = 8;
  const ScratchFolder folder;
  const Pipe start = make_pipe();
  const Pipe told = make_pipe();
  std::array<std::unique_ptr<Forked>, kJobs> jobs;
  for (auto& job : jobs) {
    job = std::make_unique<Forked>([&] {
      static Fd lock;
      std::array<char, 1> byte{};
      (void)read_some(start.read.get(), byte);
      try {
        lock = lock_run_folder(folder.path());
        write_all(told.write.get(), std::string_view("y"));
      } catch (const Error&) {
        write_all(told.write.get(), std::string_view("n"));
      }
    });
  }
  write_all(start.write.get(), std::string(kJobs, 'x'));
  std::string answers;
  while (answers.size() < kJobs) {
    std::array<char, kJobs> some{};
    const ssize_t count = read_some(told.read.get(), some);
    ASSERT_GT(count, 0);
    answers.append(some.data(), idx(count));
  }
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 'y'), 1) << answers;
}

}  // namespace
}  // namespace trireme::train
