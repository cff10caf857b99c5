// Messages with tags as a program sends them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/trireme.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/world_test_util.h"
#include "launch/job.h"
#include "wire/shm/segment.h"

namespace trireme {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The end of a job in which something fails.
launch::JobEnd end_of(Rank nodes, const char* timeout, const std::function<void()>& body) {
  launch::JobOptions options;
  options.nodes = nodes;
  options.environment = {{"TRIREME_TIMEOUT", timeout}};
  options.memory = wire::shm::Segment::create(nodes);
  return launch::run_job(options, [&](Rank) { return thrown_by(body).empty() ? 0 : 1; });
}

TEST(Messages, GoAroundACircleInOrder) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    const Rank next = (world.rank() + 1) % 3;
    const Rank before = (world.rank() + 2) % 3;
    bool right = true;
    for (int round = 0; round < 10; ++round) {
      const std::vector<double> sent{1.5 * round, 1.0 * world.rank()};
      std::array<double, 2> got{};
      if (world.rank() == 0) world.send(sent, next);
      world.receive(got, before);
      if (world.rank() != 0) world.send(sent, next);
      right = right && expect(got == std::array<double, 2>{1.5 * round, 1.0 * before}, "the numbers");
    }
    return right;
  });
}

TEST(Messages, OfEveryTypeAndKindOfMemoryMayBeSent) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    Buffer<std::int64_t> buffer = world.buffer<std::int64_t>(100'000);
    std::vector<float16> halves(3, float16(2.5F));
    std::uint8_t bytes[] = {7, 8, 9};
    if (world.rank() == 0) {
      for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<std::int64_t>(i) - 50'000;
      world.send(buffer, 1, 16'383);
      world.send(std::as_const(halves), 1, 2);
      world.send(std::span<const std::uint8_t>(bytes), 1, 1);
      world.send(std::vector<float>(), 1, 1);
      return true;
    }
    std::vector<std::int64_t> numbers(buffer.size());
    std::vector<float16> got(3);
    std::uint8_t others[3] = {};
    std::vector<float> none;
    world.receive(others, 0, 1);  // before those that were sent before it
    world.receive(none, 0, 1);
    world.receive(got, 0, 2);
    world.receive(numbers, 0, 16'383);
    return expect(numbers.front() == -50'000 && numbers.back() == 49'999, "the integers") &&
           expect(static_cast<float>(got[2]) == 2.5F, "the halves") && expect(others[2] == 9, "the bytes");
  });
}

TEST(Messages, OfOverlappingGroupsAndSumsAreNotMixedUp) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    Group low = world.split(world.rank() < 2 ? std::optional<std::int64_t>(0) : std::nullopt, -world.rank());
    std::vector<int> one{1};
    std::vector<int> two{2};
    if (world.rank() == 0) {
      world.send(one, 1, 5);
      low.send(two, 0, 5);
    }
    std::vector<int> sum{world.rank()};
    world.sum(sum);
    bool right = expect(sum[0] == 3, "the sum");
    if (world.rank() == 1) {
      low.receive(one, 1, 5);
      world.receive(two, 0, 5);
      right = expect(one[0] == 2 && two[0] == 1, "the messages") && right;
    }
    return right;
  });
}

TEST(Messages, WithoutATagOrPeerAreRefusedAndDoNoHarm) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    Group alone = world.split(world.rank() == 0 ? std::optional<std::int64_t>(0) : std::nullopt);
    std::vector<float> numbers(3);
    const Rank other = 1 - world.rank();
    const bool right =
        says(thrown_by([&] { world.send(numbers, other, -1); }), "-1 is no tag; tags are 0 to 16,383") &&
        says(thrown_by([&] { world.receive(numbers, other, 16'384); }), "16,384 is no tag") &&
        says(thrown_by([&] { world.send(numbers, 2); }), "there is no rank 2 among 2") &&
        says(thrown_by([&] { world.receive(numbers, -1); }), "there is no rank -1") &&
        says(thrown_by([&] { world.send(numbers, world.rank()); }), "to itself") &&
        says(thrown_by([&] { alone.send(numbers, 0); }),
             world.rank() == 0 ? "to itself" : "a send of an empty group");
    world.sum(numbers);
    return right;
  });
}

TEST(Messages, ThatWereRefusedAreTheFirstFailureIfThatEndsTheWorker) {
  const launch::JobEnd end = end_of(2, "60s", [] {
    World world = join(0, nullptr);
    std::vector<float> numbers(3);
    if (world.rank() == 0) world.send(numbers, 1, -1);
    if (world.rank() == 1) world.receive(numbers, 0);
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_EQ(end.first_failure->rank, 0);
  EXPECT_THAT(end.first_failure->text, HasSubstr("rank 0: send: -1 is no tag; tags are 0 to 16,383"));
}

TEST(Messages, ThatWereRefusedAreForgottenWithTheNextCall) {
  const launch::JobEnd end = end_of(2, "60s", [] {
    World world = join(0, nullptr);
    std::vector<float> numbers(3);
    if (world.rank() == 0) {
      static_cast<void>(thrown_by([&] { world.send(numbers, 1, -1); }));
      world.send(numbers, 1);
      throw std::runtime_error("out of luck");
    }
    world.receive(numbers, 0);
    world.barrier();
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text, Not(HasSubstr("no tag")));
}

TEST(Messages, ThatAllSendBeforeAnyReceivesSaySo) {
  const launch::JobEnd end = end_of(2, "300ms", [] {
    World world = join(0, nullptr);
    std::vector<float> numbers(10'000'000);
    world.send(numbers, 1 - world.rank());
    world.receive(numbers, 1 - world.rank());
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text,
              AllOf(HasSubstr("send of 10,000,000 float32 to rank"), HasSubstr("has not received"),
                    HasSubstr("in a circle: what they send and receive does not fit together"),
                    HasSubstr("if all send first, let one receive before it sends, or use start_send")));
}

TEST(Messages, OfAnotherSizeNameBothSizesAndTheMessage) {
  const launch::JobEnd end = end_of(3, "60s", [] {
    World world = join(0, nullptr);
    Group reversed = world.split(0, -world.rank());
    std::vector<float> numbers(world.rank() == 2 ? 99 : 100);
    if (world.rank() == 2) reversed.send(numbers, 1, 3);
    if (world.rank() == 1) reversed.receive(numbers, 0, 3);
    if (world.rank() != 1) world.barrier();
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text,
              AllOf(HasSubstr("rank 1: receive of 100 float32 from rank 2 with tag 3"),
                    HasSubstr("rank 2 sends 396 bytes where 400 are expected")));
}

TEST(Messages, OfAnotherTypeAreRefusedThoughTheyHaveTheSameSize) {
  const launch::JobEnd end = end_of(2, "60s", [] {
    World world = join(0, nullptr);
    std::vector<float> floats(100);
    std::vector<std::int32_t> integers(100);
    if (world.rank() == 0) world.send(floats, 1, 3);
    if (world.rank() == 1) world.receive(integers, 0, 3);
    world.barrier();
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text, AllOf(HasSubstr("rank 1: receive of 100 int32 from rank 0 with tag 3"),
                                             HasSubstr("rank 0 sends something else than what is expected")));
}

TEST(Messages, ThatAreAskedForAgainAndAgainNameWhoIsLate) {
  const launch::JobEnd end = end_of(2, "300ms", [] {
    World world = join(0, nullptr);
    std::vector<float> numbers(100);
    if (world.rank() == 1) return world.receive(numbers, 0, 8);
    Pending pending = world.start_receive(numbers, 1, 7);
    while (!pending.done()) {
    }
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text,
              AllOf(HasSubstr("receive of 100 float32 from rank"), HasSubstr("has not sent")));
}

TEST(Messages, ThatDoNotComeNameWhoIsLateAndTheMessage) {
  const launch::JobEnd end = end_of(2, "300ms", [] {
    World world = join(0, nullptr);
    std::vector<std::int64_t> numbers(1'000'000);
    if (world.rank() == 0) world.receive(numbers, 1, 7);
    if (world.rank() == 1) world.receive(numbers, 0, 8);
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(
      end.first_failure->text,
      AllOf(HasSubstr("receive of 1,000,000 int64 from rank"), HasSubstr("has not sent"),
            HasSubstr("(after 0."), HasSubstr("if all receive first, let one send before it receives")));
}

TEST(Messages, ToAWorkerThatHasEndedNameIt) {
  const launch::JobEnd end = end_of(2, "60s", [] {
    World world = join(0, nullptr);
    world.barrier();
    const std::vector<double> numbers(1'000'000);
    if (world.rank() == 0) world.send(numbers, 1, 7);
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(
      end.first_failure->text,
      AllOf(HasSubstr("rank 0: send of 1,000,000 float64 to rank 1 with tag 7"), HasSubstr("has left")));
}

}  // namespace
}  // namespace trireme
