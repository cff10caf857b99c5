#include "launch/ssh/host_list.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::launch::ssh {
namespace {

std::string refusal(const std::string& text) {
  try {
    (void)parse_hosts(text, "--hosts");
  } catch (const Error& error) {
    return error.failure().what;
  }
  return "taken";
}

TEST(HostList, GiveOutRanksInTheirOrder) {
  const auto hosts = parse_hosts("b:4,a:2", "--hosts");
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].name, "b");
  EXPECT_EQ(hosts[0].first, 0);
  EXPECT_EQ(hosts[1].name, "a");
  EXPECT_EQ(hosts[1].first, 4);
  EXPECT_EQ(nodes_of(hosts), 6);
}

TEST(HostList, HaveOneNodeWithoutANumber) { EXPECT_EQ(parse_hosts("a,b:2", "--hosts")[0].nodes, 1); }

TEST(HostList, MayHaveAUser) {
  EXPECT_EQ(parse_hosts("me@10.0.0.7:2", "--hosts")[0].name, "me@10.0.0.7");
  EXPECT_EQ(without_user("me@10.0.0.7"), "10.0.0.7");
}

TEST(HostList, MayBeIPv6AddressesInBrackets) {
  const auto hosts = parse_hosts("[::1]:2,[fe80::2]", "--hosts");
  EXPECT_EQ(hosts[0].name, "::1");
  EXPECT_EQ(hosts[0].nodes, 2);
  EXPECT_EQ(hosts[1].name, "fe80::2");
}

TEST(HostList, AreRefusedWithTheEntryThatIsWrong) {
  EXPECT_EQ(refusal("a:4,"), "--hosts: an entry is empty");
  EXPECT_EQ(refusal(":4"), "--hosts: ':4' has no name");
  EXPECT_EQ(refusal("a:0"), "--hosts a: 0 is out of range");
  EXPECT_EQ(refusal("a:b"), "--hosts a: 'b' is not a whole number");
  EXPECT_EQ(refusal("a:1,a:2"), "--hosts: 'a' is there twice");
  EXPECT_EQ(refusal("[::1:2"), "--hosts: '[::1:2' has no closing bracket");
  EXPECT_EQ(refusal("a b"), "--hosts: 'a b' is no name of a host");
  EXPECT_EQ(refusal("a:1024,b:1"), "--hosts: more than 1,024 nodes");
}

TEST(HostList, CannotBeFlagsOfSsh) {
  EXPECT_EQ(refusal("-oProxyCommand=true"), "--hosts: '-oProxyCommand=true' is no name of a host");
}

}  // namespace
}  // namespace trireme::launch::ssh
