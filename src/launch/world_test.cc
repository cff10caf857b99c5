#include "launch/world.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"

namespace trireme {
namespace {

using namespace std::chrono_literals;
using Variables = std::map<std::string, std::string>;

FoundWorld find(const Variables& variables) {
  return find_world([&](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  });
}

std::string refusal(const Variables& variables) {
  try {
    (void)find(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(World, OfAProcessThatNobodyLaunchedIsAJobOfOne) {
  const FoundWorld world = find({});
  EXPECT_EQ(world.rank, 0);
  EXPECT_EQ(world.size, 1);
  EXPECT_FALSE(world.segment_fd);
  EXPECT_EQ(world.timeout, 60s);
}

TEST(World, HasWhatTheLauncherSet) {
  const FoundWorld world = find(
      {{"TRIREME_RANK", "3"}, {"TRIREME_SIZE", "4"}, {"TRIREME_TIMEOUT", "1.5"}, {"TRIREME_SEGMENT", "7"}});
  EXPECT_EQ(world.rank, 3);
  EXPECT_EQ(world.size, 4);
  EXPECT_EQ(world.timeout, 1500ms);
  EXPECT_EQ(world.segment_fd, 7);
}

TEST(World, TakesATimeoutAsAPersonWritesIt) { EXPECT_EQ(find({{"TRIREME_TIMEOUT", "2 min"}}).timeout, 2min); }

TEST(World, RefusesWhatIsMalformedByNameAndValue) {
  EXPECT_EQ(refusal({{"TRIREME_RANK", "x"}, {"TRIREME_SIZE", "4"}}),
            "TRIREME_RANK: 'x' is not a whole number; give one from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "0"}, {"TRIREME_SIZE", ""}}),
            "TRIREME_SIZE: '' is not a whole number; give one from 1 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "-1"}, {"TRIREME_SIZE", "4"}}),
            "TRIREME_RANK: -1 is out of range; give a number from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "0"}, {"TRIREME_SIZE", "0"}}),
            "TRIREME_SIZE: 0 is out of range; give a number from 1 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "0"}, {"TRIREME_SIZE", "1"}, {"TRIREME_SEGMENT", "fd"}}),
            "TRIREME_SEGMENT: 'fd' is not a whole number; give one from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_TIMEOUT", "soon"}}),
            "TRIREME_TIMEOUT: 'soon' is not a time; give one like 60s, 1.5s, 500ms, 2min or 1h");
}

TEST(World, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(refusal({{"TRIREME_RANK", "4"}, {"TRIREME_SIZE", "4"}}),
            "TRIREME_RANK is 4, but TRIREME_SIZE is 4; ranks go from 0 to 3");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "1"}}),
            "TRIREME_RANK is '1', but TRIREME_SIZE is not set; set both or none");
  EXPECT_EQ(refusal({{"TRIREME_SIZE", "2"}}),
            "TRIREME_SIZE is '2', but TRIREME_RANK is not set; set both or none");
  EXPECT_EQ(refusal({{"TRIREME_SEGMENT", "5"}}),
            "TRIREME_SEGMENT is '5', but TRIREME_RANK is not set; let trireme launch set it, or unset it");
}

}  // namespace
}  // namespace trireme
