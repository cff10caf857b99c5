// Groups as a program uses them: parts of a job, and parts of these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/trireme.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/world_impl.h"
#include "api/world_test_util.h"
#include "launch/job.h"
#include "wire/shm/segment.h"

namespace trireme {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The members, as the sum of 1 << rank in the job.
std::int64_t members_of(Group& group, Rank rank_in_job) {
  std::vector<std::int64_t> numbers{std::int64_t{1} << rank_in_job};
  group.sum(numbers);
  return numbers[0];
}

TEST(Groups, AreTheRowsAndColumnsOfAMesh) {
  on_nodes(4, [] {
    World world = join(0, nullptr);
    const Rank rank = world.rank();
    Group row = world.split(rank / 2);
    Group column = world.split(rank % 2, -rank);
    bool right = expect(row.size() == 2 && row.rank() == rank % 2, "the place in the row") &&
                 expect(column.size() == 2 && column.rank() == 1 - rank / 2, "the place in the column");
    for (int round = 0; round < 3; ++round) {
      right = right && expect(members_of(row, rank) == (rank < 2 ? 0b0011 : 0b1100), "the row") &&
              expect(members_of(column, rank) == (rank % 2 == 0 ? 0b0101 : 0b1010), "the column") &&
              expect(members_of(world, rank) == 0b1111, "the world");
    }
    return right;
  });
}

TEST(Groups, HaveTheOperationsAndBuffersOfAWorld) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    Group low = world.split(world.rank() < 2 ? 0 : 1);
    Buffer<float> numbers = low.buffer<float>(1000);
    numbers[999] = static_cast<float>(1 + world.rank());
    low.average(numbers);
    std::vector<std::int32_t> most{world.rank()};
    low.max(most);
    low.barrier();
    return expect(numbers[999] == (world.rank() < 2 ? 1.5F : 3.0F), "the average") &&
           expect(most[0] == (world.rank() < 2 ? 1 : 2), "the maximum");
  });
}

TEST(Groups, MayBeSplitAgainAndOutliveTheWorld) {
  on_nodes(4, [] {
    std::optional<Group> pair;
    Rank rank = 0;
    {
      World world = join(0, nullptr);
      rank = world.rank();
      Group reversed = world.split(7, -rank);
      pair = reversed.split(reversed.rank() / 2);
    }
    return expect(pair->rank() == 1 - rank % 2, "the rank in the pair") &&
           expect(members_of(*pair, rank) == (rank < 2 ? 0b0011 : 0b1100), "the pair");
  });
}

TEST(AnEmptyGroup, SaysSoWhenItIsUsed) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    Group others = world.split(world.rank() > 0 ? std::optional<std::int64_t>(0) : std::nullopt);
    if (world.rank() > 0) {
      return expect(!others.empty() && others.size() == 2, "a group of two") &&
             expect(members_of(others, world.rank()) == 0b110, "the others");
    }
    std::vector<float> numbers(3);
    return expect(others.empty() && others.size() == 0, "an empty group") &&
           says(thrown_by([&] { others.sum(numbers); }), "a sum of an empty group") &&
           says(thrown_by([&] { others.barrier(); }), "Group::empty()") &&
           says(thrown_by([&] { (void)others.rank(); }), "the rank of an empty group") &&
           says(thrown_by([&] { (void)others.split(0); }), "a split of an empty group");
  });
}

TEST(Groups, WhoseMembersDifferAreToldWhoByTheirRanksInTheJob) {
  launch::JobOptions options;
  options.nodes = 4;
  options.memory = wire::shm::Segment::create(options.nodes);
  const launch::JobEnd end = launch::run_job(options, [](Rank rank) {
    World world = join(0, nullptr);
    Group half = world.split(rank % 2);
    std::vector<float> numbers(rank == 3 ? 5 : 6);
    return thrown_by([&] { half.sum(numbers); }).empty() ? 0 : 1;
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text,
              AllOf(HasSubstr("rank 1 at sum of 6 float32"), HasSubstr("rank 3 at sum of 5 float32")));
}

TEST(Groups, WithServersRefuseWhatTheseDoNotFollow) {
  on_nodes(4, [] {
    World world = join(0, nullptr);
    Group half = world.split(world.rank() / 2);
    WorldAccess::inside(world).job->servers.insert(3);  // as an Exchange does
    const bool has_server = world.rank() >= 2;
    std::vector<float> numbers(3);
    const std::string refusal = thrown_by([&] { half.sum(numbers); });
    return expect(world.size() == 4 && half.size() == 2, "the sizes as before") &&
           says(thrown_by([&] { world.barrier(); }), "a barrier in a group with 1 server") &&
           says(thrown_by([&] { (void)world.split(0); }), "exchange.workers()") &&
           (has_server ? says(refusal, "a sum in a group with 1 server") : expect(refusal.empty(), "a sum"));
  });
}

TEST(Groups, AreLeftAsTheyAreByAProcessThatEnds) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    const Group part = world.split(0);
    WorldAccess::inside(world).job->end();
    return expect(!WorldAccess::inside(part).is_here(), "nobody's group");
  });
}

TEST(Groups, OfOneWorkerChangeNothing) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    Group alone = world.split(world.rank());
    std::vector<double> numbers{1.5, static_cast<double>(world.rank())};
    alone.average(numbers);
    alone.barrier();
    return expect(alone.size() == 1 && numbers[0] == 1.5 && numbers[1] == world.rank(), "the same numbers");
  });
}

}  // namespace
}  // namespace trireme
