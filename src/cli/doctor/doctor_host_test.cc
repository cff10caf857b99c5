#include "cli/doctor/doctor_host.h"

#include <gtest/gtest.h>

#include <map>

namespace trireme::cli {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<double> quota_in(const Files& files) {
  return find_quota([&](const std::string& path) -> std::optional<std::string> {
    const auto at = files.find(path);
    if (at == files.end()) return std::nullopt;
    return at->second;
  });
}

TEST(DoctorHost, KnowsNoQuotaWhereNoFileSaysOne) { EXPECT_EQ(quota_in({}), std::nullopt); }

TEST(DoctorHost, ReadsTheQuotaOfAContainer) {
  EXPECT_EQ(quota_in({{"/sys/fs/cgroup/cpu.max", "150000 100000\n"}}), 1.5);
  EXPECT_EQ(quota_in({{"/sys/fs/cgroup/cpu.max", "max 100000\n"}}), std::nullopt);
}

TEST(DoctorHost, TakesTheLeastOfTheQuotasOfAllGroupsAroundIt) {
  EXPECT_EQ(quota_in({{"/proc/self/cgroup", "0::/jobs/7\n"},
                      {"/sys/fs/cgroup/cpu.max", "max 100000\n"},
                      {"/sys/fs/cgroup/jobs/cpu.max", "200000 100000\n"},
                      {"/sys/fs/cgroup/jobs/7/cpu.max", "400000 100000\n"}}),
            2.0);
}

TEST(DoctorHost, ReadsTheQuotaOfTheFirstVersionOfControlGroups) {
  const Files files = {{"/proc/self/cgroup", "4:memory:/x\n1:cpu,cpuacct:/job\n0::/\n"},
                       {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                       {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
                       {"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n"},
                       {"/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(quota_in(files), 0.5);
}

TEST(DoctorHost, TakesAQuotaThatItCannotReadForNone) {
  for (const char* text : {"", " ", "x y", "100000", "100000 0", "0 100000"}) {
    EXPECT_EQ(quota_in({{"/sys/fs/cgroup/cpu.max", text}}), std::nullopt) << text;
  }
  EXPECT_EQ(quota_in({{"/proc/self/cgroup", "nonsense\n::\n:\n"}}), std::nullopt);
}

TEST(DoctorHost, FindsTheChosenSetting) {
  EXPECT_EQ(chosen_setting("always within_size [advise] never\n"), "advise");
  EXPECT_EQ(chosen_setting("always advise"), "");
  EXPECT_EQ(chosen_setting("] always ["), "");
}

}  // namespace
}  // namespace trireme::cli
