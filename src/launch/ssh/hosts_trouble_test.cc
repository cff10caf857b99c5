#include "launch/ssh/hosts_trouble.h"

#include <gtest/gtest.h>

#include <csignal>

namespace trireme::launch::ssh {
namespace {

Trouble exited(std::size_t host, int code) {
  return {host, NodeEnded{0, {1, RankEnd::How::kExited, code, true, {}}}};
}
Trouble killed(std::size_t host, int signal) {
  return {host, NodeEnded{0, {1, RankEnd::How::kKilled, signal, true, {}}}};
}
Trouble ssh_ended(std::size_t host) { return {host, SshEnded{{1, RankEnd::How::kExited, 1, true, {}}}}; }

std::size_t host_of_first(const std::vector<Trouble>& troubles) { return first_of(troubles)->host; }

TEST(FirstTrouble, IsNoneWhereThereIsNone) { EXPECT_EQ(first_of({}), nullptr); }

TEST(FirstTrouble, IsTheOneThatWasHeardOfFirst) {
  EXPECT_EQ(host_of_first({exited(1, 3), exited(0, 1)}), 1U);
  EXPECT_EQ(host_of_first({ssh_ended(1), exited(0, 1)}), 1U);
}

TEST(FirstTrouble, IsANodeThatWasKilledThoughOthersExitedBecauseOfIt) {
  EXPECT_EQ(host_of_first({exited(1, 1), killed(0, SIGKILL)}), 0U);
}

TEST(FirstTrouble, IsNoNodeThatAbortedAfterAnotherHadExited) {
  EXPECT_EQ(host_of_first({exited(1, 1), killed(0, SIGABRT)}), 1U);
}

TEST(FirstTrouble, IsNotTheEndOfAnAgentThatToldWhy) {
  const std::vector<Trouble> troubles{ssh_ended(1), exited(1, 3)};
  EXPECT_TRUE(std::holds_alternative<NodeEnded>(first_of(troubles)->what));
}

}  // namespace
}  // namespace trireme::launch::ssh
