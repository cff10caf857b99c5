#include "wire/mpi/mpi_start.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace trireme::wire::mpi {
namespace {

using namespace std::chrono_literals;

MpiProcess waiting(Rank rank) { return {.rank = rank, .process = 100 + rank, .has_come = true}; }
MpiProcess away(Rank rank) { return {.rank = rank, .process = 100 + rank}; }
MpiProcess stopped(Rank rank) { return {.rank = rank, .process = 100 + rank, .stopped = true}; }

TEST(MpiStart, NamesTheOneThatIsStopped) {
  const Failure failure = name_late(std::vector{waiting(0), stopped(1), away(2)}, 3);
  EXPECT_EQ(to_string(failure),
            "starting MPI: rank 1 (process 101) is stopped; let it go on: kill -CONT 101");
  EXPECT_EQ(failure.culprit, 1);
}

TEST(MpiStart, NamesAllThatHaveNotCome) {
  const Failure failure = name_late(std::vector{waiting(0), away(1), away(2)}, 3);
  EXPECT_EQ(failure.what, "rank 1 (process 101), rank 2 (process 102) have not come");
  EXPECT_EQ(failure.culprit, 1);
}

TEST(MpiStart, SaysThatOthersAreOnOtherHosts) {
  const Failure failure = name_late(std::vector{waiting(0), waiting(1)}, 5);
  EXPECT_EQ(failure.what, "all processes of this host have come; 3 of 5 are on other hosts, or have ended");
  EXPECT_FALSE(failure.culprit);
}

TEST(MpiStart, NamesNobodyWhereNothingIsKnown) {
  EXPECT_EQ(name_late({}, 3).what, "not all have come");
  EXPECT_EQ(name_late(std::vector{waiting(0)}, 1).what, "all have come, and MPI does not start");
}

// A program started as part of a job. /proc shows the environment that it had at its start.
class Started {
 public:
  Started(const std::string& job, Rank rank) : process_(::fork()) {
    if (process_ != 0) return;
    const std::string job_entry = "PMIX_NAMESPACE=" + job;
    const std::string rank_entry = "PMIX_RANK=" + std::to_string(rank);
    ::execle("/bin/sleep", "sleep", "1000", nullptr,
             std::vector<const char*>{job_entry.c_str(), rank_entry.c_str(), nullptr}.data());
    ::_exit(127);
  }
  ~Started() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_;
};

// Waits until the children have called exec.
std::vector<MpiProcess> processes_when_there_are(std::size_t count) {
  const Deadline deadline = Deadline::after(60s);
  std::vector<MpiProcess> found;
  while (found.size() < count && !deadline.expired()) found = processes_of_mpi_job();
  return found;
}

TEST(MpiStart, FindsTheProcessesOfThisJobAlone) {
  const std::string job = "trireme-test-" + std::to_string(::getpid());
  ::setenv("PMIX_NAMESPACE", job.c_str(), 1);
  const Started other_job(job + "0", 0);
  const Started rank_1(job, 1);
  const Started rank_0(job, 0);
  (void)processes_when_there_are(2);
  ::kill(rank_1.process(), SIGSTOP);
  ::waitpid(rank_1.process(), nullptr, WUNTRACED);
  const std::vector<MpiProcess> found = processes_of_mpi_job();
  ::unsetenv("PMIX_NAMESPACE");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].process, rank_0.process());
  EXPECT_FALSE(found[0].stopped);
  EXPECT_EQ(found[1].process, rank_1.process());
  EXPECT_TRUE(found[1].stopped);
}

TEST(MpiStart, ThatIsInTimeIsLeftAlone) { const MpiStartWatch watch(Deadline::after(1h)); }

TEST(MpiStartDeathTest, ThatIsLateEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const MpiStartWatch watch(Deadline::after(1ms));
        ::pause();
      },
      testing::ExitedWithCode(1), "trireme: starting MPI: not all have come \\(after .* s\\)");
}

}  // namespace
}  // namespace trireme::wire::mpi
