#include "base/system/own_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trireme {
namespace {

TEST(OwnProcess, IsHereButNotInAForkedChild) {
  const OwnProcess own;
  EXPECT_TRUE(own.is_here());
  EXPECT_EQ(own.id(), ::getpid());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(own.is_here() || own.id() == ::getpid() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(own.is_here());
}

TEST(OwnProcess, OfAChildIsTheChild) {
  const OwnProcess parent;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const OwnProcess own;
    ::_exit(own.is_here() && own.id() == ::getpid() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace trireme
