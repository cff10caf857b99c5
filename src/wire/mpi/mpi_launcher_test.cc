#include "wire/mpi/mpi_launcher.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace trireme::wire::mpi {
namespace {

class MpiLauncher : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }

  static void mark(const char* variable, const char* value) { ::setenv(variable, value, 1); }

 private:
  static void forget() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
      ::unsetenv(variable);
    }
  }
};

TEST_F(MpiLauncher, IsNobodyWithoutAMark) { EXPECT_FALSE(mpi_launcher()); }

TEST_F(MpiLauncher, IsKnownByItsMark) {
  mark("PMI_SIZE", "3");
  ASSERT_TRUE(mpi_launcher());
  EXPECT_EQ(mpi_launcher()->processes, 3);
  EXPECT_EQ(mpi_launcher()->launcher, "the mpirun of another MPI (MPICH?)");
}

TEST_F(MpiLauncher, IsTheInnerOneOfTwo) {
  mark("SLURM_STEP_NUM_TASKS", "4");
  mark("OMPI_COMM_WORLD_SIZE", "1");
  ASSERT_TRUE(mpi_launcher());
  EXPECT_EQ(mpi_launcher()->processes, 1);
}

TEST_F(MpiLauncher, LeavesNoMarkThatIsNoNumber) {
  mark("PMI_SIZE", "many");
  EXPECT_FALSE(mpi_launcher());
}

}  // namespace
}  // namespace trireme::wire::mpi
