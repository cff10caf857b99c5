// A process that saves is killed at any instant: the newest complete checkpoint is right.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/random_stream.h"
#include "base/system/fd.h"
#include "base/system/scratch_folder_test_util.h"
#include "base/trials_test_util.h"
#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

// Saves so many checkpoints one after the other, and says each step through the pipe once it is saved.
[[noreturn]] void save_on(const std::filesystem::path& run, std::int64_t first, std::int64_t count,
                          int said) {
  for (std::int64_t step = first; step < first + count; ++step) {
    save_small(run, step);
    write_all(said, {reinterpret_cast<const char*>(&step), sizeof(step)});
    prune(run, step, 2);
    save_small(run, step);  // as after a return to an older one
  }
  ::_exit(0);
}

// The last step that was said, or -1.
std::int64_t last_said(Pipe pipe) {
  pipe.write = Fd();
  std::int64_t last = -1;
  std::int64_t step = 0;
  while (read_some(pipe.read.get(), {reinterpret_cast<char*>(&step), sizeof(step)}) == sizeof(step))
    last = step;
  return last;
}

void require_right(const std::filesystem::path& run, std::int64_t at_least) {
  const Saved saved = Saved::open(run);
  ASSERT_TRUE(is_small_checkpoint(saved)) << "step " << saved.step();
  ASSERT_GE(saved.step(), at_least);
  for (const Listed& listed : list_checkpoints(run)) {
    ASSERT_TRUE(listed.is_complete()) << listed.folder << ": " << listed.missing;
  }
}

TEST(KilledSaving, LeavesTheNewestCheckpointAsItWasSaved) {
  constexpr int kTrials = 200;
  const ScratchFolder run;
  const auto start = std::chrono::steady_clock::now();
  save_small(run.path(), 0);
  const auto one_saving = static_cast<std::uint64_t>((std::chrono::steady_clock::now() - start).count());
  RandomStream random(1, "instants of killing");
  std::int64_t newest = 0;
  const int one_in = one_trial_in(8, 20);
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::uint64_t instant = random.below(1000);
    if (trial % one_in != 0) continue;
    Pipe pipe = make_pipe();
    const pid_t child = ::fork();
    if (child == 0) save_on(run.path(), newest + 1, 10'000, pipe.write.get());
    const std::uint64_t wait = std::min<std::uint64_t>(4 * one_saving, 500'000'000) * instant / 1000;
    const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(wait)};
    ::nanosleep(&time, nullptr);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    require_right(run.path(), std::max(last_said(std::move(pipe)), newest));
    if (HasFatalFailure()) FAIL() << "trial " << trial;
    newest = Saved::open(run.path()).step();
  }
  save_small(run.path(), newest + 1);  // tidies up
  prune(run.path(), newest + 1, 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run.path() / kFolder), {}), 1);
}

// A child that is stopped before and after each of its system calls. Returns whether it has ended before so
// many of these stops; otherwise it is killed at the last of them.
enum class End { kKilled, kDone, kNotTraced };
End killed_at_stop(const std::filesystem::path& run, int stops, Pipe& pipe) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
    ::raise(SIGSTOP);
    save_on(run, 1, 2, pipe.write.get());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  for (int stop = 0; stop < stops && WIFSTOPPED(status); ++stop) {
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) break;
    ::waitpid(child, &status, 0);
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 77 ? End::kNotTraced : End::kDone;
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return End::kKilled;
}

TEST(KilledSaving, AtAnySystemCallLeavesTheNewestCheckpointAsItWasSaved) {
  // What follows a system call is seen before the next one.
  const int between = 2 * one_trial_in(20, 50);
  for (int stops = 1;; stops += between) {
    const ScratchFolder run;
    save_small(run.path(), 0);
    Pipe pipe = make_pipe();
    const End end = killed_at_stop(run.path(), stops, pipe);
    if (end == End::kNotTraced) GTEST_SKIP() << "this process may trace no other";
    require_right(run.path(), std::max<std::int64_t>(last_said(std::move(pipe)), 0));
    if (HasFatalFailure()) FAIL() << "after stop " << stops;
    ASSERT_LT(stops, 100'000);
    if (end == End::kDone) break;
  }
}

}  // namespace
}  // namespace trireme::checkpoint
