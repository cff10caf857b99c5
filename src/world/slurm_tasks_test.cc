#include "world/slurm_tasks.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::world {
namespace {

std::string refusal(std::string_view text, std::int64_t host) {
  try {
    (void)slurm_tasks_on(text, host, "TASKS");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SlurmTasks, AreThoseOfTheHost) {
  EXPECT_EQ(slurm_tasks_on("4", 0, "TASKS"), 4);
  EXPECT_EQ(slurm_tasks_on("2(x3),1", 2, "TASKS"), 2);
  EXPECT_EQ(slurm_tasks_on("2(x3),1", 3, "TASKS"), 1);
  EXPECT_EQ(slurm_tasks_on("1(x2147483647),7", 2'147'483'647, "TASKS"), 7);
}

TEST(SlurmTasks, AreRefusedWhereTheHostIsMissing) {
  EXPECT_EQ(refusal("2(x3),1", 4),
            "TASKS is '2(x3),1', which has no host 4; it does not go with SLURM_NODEID");
}

TEST(SlurmTasks, AreRefusedWhereTheyAreMalformed) {
  EXPECT_EQ(refusal("2(x3", 0), "TASKS: '2(x3' is no number of tasks; Slurm writes 2(x3),1");
  EXPECT_EQ(refusal("", 0), "TASKS: '' is not a whole number; give one from 1 to 2,147,483,647");
  EXPECT_EQ(refusal("2(x)", 0), "TASKS: '' is not a whole number; give one from 1 to 2,147,483,647");
}

}  // namespace
}  // namespace trireme::world
