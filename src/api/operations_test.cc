// The operations of a Group as a program calls them: results, sizes, places, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/trireme.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/world_impl.h"
#include "api/world_test_util.h"

namespace trireme {
namespace {

using Numbers = std::vector<std::int32_t>;

// 100·rank, 100·rank + 1, …
Numbers counting(Rank rank, std::size_t count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 100 * rank);
  return numbers;
}

Numbers joined(Rank n, std::size_t each) {
  Numbers all;
  for (Rank rank = 0; rank < n; ++rank) {
    const Numbers part = counting(rank, each);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(Operations, GiveEachWorkerItsPart) {
  for (const Rank n : {1, 2, 3, 5}) {
    on_nodes(n, [n] {
      World world = join(0, nullptr);
      const Rank rank = world.rank();
      const Rank root = n - 1;
      Numbers news = counting(rank, 7);
      world.broadcast(news, root);
      bool right = expect(news == counting(root, 7), "the broadcast");

      Numbers all(rank == root ? 3 * static_cast<std::size_t>(n) : 0, -1);
      world.gather(counting(rank, 3), all, root);
      right &= expect(rank != root || all == joined(n, 3), "the gather");

      Numbers part(3, -1);
      world.scatter(all, part, root);
      right &= expect(part == counting(rank, 3), "the scatter");

      Numbers everything(3 * static_cast<std::size_t>(n), -1);
      world.all_gather(counting(rank, 3), everything);
      right &= expect(everything == joined(n, 3), "the all-gather");

      Numbers given(static_cast<std::size_t>(n));  // number k is for worker k
      for (Rank k = 0; k < n; ++k) given[static_cast<std::size_t>(k)] = 100 * rank + k;
      Numbers got(static_cast<std::size_t>(n), -1);
      world.all_to_all(given, got);
      for (Rank k = 0; k < n; ++k)
        right &= expect(got[static_cast<std::size_t>(k)] == 100 * k + rank, "the all-to-all");
      return right;
    });
  }
}

// Ten numbers over four workers: parts of 2, 3, 2 and 3.
TEST(Operations, CutWhatDoesNotDivideEvenlyIntoParts) {
  on_nodes(4, [] {
    World world = join(0, nullptr);
    const Part part = world.part(10);
    constexpr std::array<std::size_t, 4> kCounts{2, 3, 2, 3};
    bool right = expect(part.count == kCounts[static_cast<std::size_t>(world.rank())], "the part");

    std::vector<double> all(10);
    std::iota(all.begin(), all.end(), world.rank());
    std::vector<double> mine(part.count);
    world.reduce_scatter(all, mine);
    for (std::size_t i = 0; i < mine.size(); ++i)
      right &= expect(mine[i] == 4 * static_cast<double>(part.first + i) + 6, "the sums");
    world.reduce_scatter(all, mine, Reduction::kAverage, "ring");
    for (std::size_t i = 0; i < mine.size(); ++i)
      right &= expect(mine[i] == static_cast<double>(part.first + i) + 1.5, "the averages");

    std::vector<double> averages(10, -1);
    world.all_gather(mine, averages);
    for (std::size_t i = 0; i < averages.size(); ++i)
      right &= expect(averages[i] == static_cast<double>(i) + 1.5, "all averages");
    return right;
  });
}

TEST(Operations, WorkInPlaceAndInBuffers) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    constexpr std::size_t kCount = 300'000;  // more than goes through a stage at once
    Buffer<std::int32_t> all = world.buffer<std::int32_t>(kCount);
    const Part part = world.part(kCount);
    const std::span<std::int32_t> mine = all.span().subspan(part.first, part.count);
    std::iota(mine.begin(), mine.end(), static_cast<std::int32_t>(part.first));
    world.all_gather(mine, all);
    bool right = true;
    for (std::size_t i = 0; i < kCount; ++i) right = right && all[i] == static_cast<std::int32_t>(i);
    expect(right, "the gathered numbers");
    world.reduce_scatter(all, mine);
    for (std::size_t i = 0; i < part.count; ++i)
      right = right && mine[i] == 3 * static_cast<std::int32_t>(part.first + i);
    world.broadcast(all, 1);
    const Part of_one{.first = kCount / 3, .count = kCount / 3};
    return right && expect(all[of_one.first] == 3 * static_cast<std::int32_t>(of_one.first), "the broadcast");
  });
}

TEST(Operations, TakeConstNumbersAndEveryType) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    const std::vector<std::uint8_t> mine{static_cast<std::uint8_t>(world.rank() + 250)};
    std::vector<std::uint8_t> all(2);
    world.all_gather(std::span(mine), all);
    const std::array<float16, 1> half{float16(1.5F)};
    std::array<float16, 2> halves{};
    world.all_gather(half, halves);
    return expect(all == std::vector<std::uint8_t>{250, 251}, "bytes") &&
           expect(static_cast<float>(halves[1]) == 1.5F, "halves");
  });
}

TEST(Operations, AreRefusedInWordsAndDoNoHarmWhereTheyMakeNoSense) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    Numbers two(2);
    Numbers three(3);
    Numbers four(4);
    std::vector<float> floats(2);
    const auto thrown = [](const auto& act) { return thrown_by(act); };
    bool right =
        says(thrown([&] { world.broadcast(two, 2); }), "the root is rank 2, and the group has 2 workers") &&
        says(thrown([&] { world.broadcast(two, -1); }), "the root is rank -1") &&
        says(thrown([&] { world.all_gather(four, three); }), "what this worker brings has 4 numbers, not ") &&
        says(thrown([&] { world.reduce_scatter(three, three); }), "the place for this worker's part has 3") &&
        says(thrown([&] { world.all_to_all(two, three); }), "the place for what this worker gets has 3") &&
        says(thrown([&] { world.gather(two, three, world.rank()); }),
             "the place for all has 3 numbers, not 4") &&
        says(thrown([&] { world.scatter(three, two, world.rank()); }),
             "what the root brings has 3 numbers") &&
        says(thrown([&] { world.all_gather(floats, three); }), "this worker brings float32 and gets int32") &&
        says(thrown([&] { world.broadcast(two, 0, "ring"); }),
             "broadcast has no strategy ring; it has tree") &&
        says(thrown([&] { world.reduce_scatter(two, std::span(three).first(1), Reduction::kAverage); }),
             "integers have sums but no averages") &&
        says(thrown([&] { world.all_to_all(two, two); }), "overlap in memory");
    world.sum(two);
    return right;
  });
}

TEST(Operations, SayWhoCallsAnotherOne) {
  on_nodes_that_fail(3, [] {
    World world = join(0, nullptr);
    Numbers numbers(8);
    const std::string error = thrown_by([&] {
      if (world.rank() == 2) return world.sum(numbers, "ring");
      world.broadcast(numbers, 1);
      world.barrier();  // who needs nothing from the others may learn of it only here
    });
    return says(error, "rank 2 at sum of 8 int32 by ring among 3 workers") &&
           says(error, "ranks 0 and 1 at broadcast with root 1 of 8 int32 by star among 3 workers");
  });
}

TEST(Operations, RefuseSizesThatNoMemoryHas) {
  launch::JobOptions alone;  // in ordinary memory
  alone.nodes = 1;
  const launch::JobEnd end = launch::run_job(alone, [](Rank) {
    World world = join(0, nullptr);
    const std::size_t many = std::size_t{1} << 62;
    const bool right = says(thrown_by([&] { static_cast<void>(world.buffer<float>(many)); }),
                            "no memory for a buffer of 9.22 EB") &&
                       says(thrown_by([&] { static_cast<void>(world.part(~std::size_t{0})); }), "below 2^63");
    return right ? 0 : 1;
  });
  EXPECT_TRUE(end.ok());
}

TEST(Operations, NeedAGroup) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    Group part = world.split(world.rank() == 0 ? std::optional(0) : std::nullopt);
    Numbers numbers(2);
    Numbers all(2);
    if (world.rank() == 0) part.broadcast(numbers);
    return world.rank() == 0 ||
           (says(thrown_by([&] { part.broadcast(numbers); }), "a broadcast of an empty group") &&
            says(thrown_by([&] { part.gather(numbers, all); }), "a gather of an empty group") &&
            says(thrown_by([&] { static_cast<void>(part.start_sum(numbers)); }), "a sum of an empty group"));
  });
}

}  // namespace
}  // namespace trireme
