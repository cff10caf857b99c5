// What a program gets from sum, average, product, min and max, for every type of number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/trireme.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/world_test_util.h"

namespace trireme {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kCount = 1003;

// Small numbers, of which four can be added and multiplied in any type.
int number_of(Rank rank, std::size_t i) {
  return static_cast<int>((i + static_cast<std::size_t>(rank)) % 3) + 1;
}

template <typename Numbers>
void fill(Numbers& numbers, Rank rank) {
  using T = std::ranges::range_value_t<Numbers>;
  for (std::size_t i = 0; i < kCount; ++i)
    numbers[i] = T(static_cast<T>(static_cast<float>(number_of(rank, i))));
}

template <typename Numbers>
bool holds(const Numbers& numbers, Rank workers, const char* what, double (*result)(double, double)) {
  bool right = true;
  for (std::size_t i = 0; i < kCount; ++i) {
    double all = number_of(0, i);
    for (Rank rank = 1; rank < workers; ++rank) all = result(all, number_of(rank, i));
    right = right && static_cast<double>(static_cast<float>(numbers[i])) == all;
  }
  return expect(right, what);
}

template <typename Numbers>
bool reduces(World& world, Numbers& numbers, std::string_view strategy) {
  const auto add = [](double a, double b) { return a + b; };
  const auto multiply = [](double a, double b) { return a * b; };
  const auto lesser = [](double a, double b) { return a < b ? a : b; };
  const auto greater = [](double a, double b) { return a < b ? b : a; };
  const auto first = [](double a, double) { return a; };
  fill(numbers, world.rank());
  world.sum(numbers, strategy);
  bool right = holds(numbers, world.size(), "the sum", add);
  fill(numbers, world.rank());
  world.product(numbers, strategy);
  right = holds(numbers, world.size(), "the product", multiply) && right;
  fill(numbers, world.rank());
  world.min(numbers, strategy);
  right = holds(numbers, world.size(), "the minimum", lesser) && right;
  fill(numbers, world.rank());
  world.max(numbers, strategy);
  right = holds(numbers, world.size(), "the maximum", greater) && right;
  if constexpr (!std::is_integral_v<std::ranges::range_value_t<Numbers>>) {
    fill(numbers, 0);
    world.average(numbers, strategy);
    right = holds(numbers, world.size(), "the average of equal numbers", first) && right;
  }
  return right;
}

template <typename T>
bool reduces_all_memory(World& world) {
  std::vector<T> own(kCount);
  Buffer<T> shared = world.buffer<T>(kCount);
  bool right = true;
  for (const std::string_view strategy : {"auto", "ring", "direct", "tree"})
    right = reduces(world, own, strategy) && reduces(world, shared, strategy) && right;
  return right;
}

bool reduces_all_types() {
  World world = join(0, nullptr);
  bool right = reduces_all_memory<float>(world);
  right = reduces_all_memory<double>(world) && right;
  right = reduces_all_memory<float16>(world) && right;
  right = reduces_all_memory<bfloat16>(world) && right;
  right = reduces_all_memory<std::int8_t>(world) && right;
  right = reduces_all_memory<std::int32_t>(world) && right;
  right = reduces_all_memory<std::int64_t>(world) && right;
  return reduces_all_memory<std::uint8_t>(world) && right;
}

TEST(AWorld, ReducesNumbersOfEveryType) {
  for (const Rank workers : {1, 2, 4}) on_nodes(workers, reduces_all_types);
}

TEST(AWorld, TakesTheMinimumAndMaximumOfNegativeNumbers) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    std::vector<std::int8_t> least{static_cast<std::int8_t>(-100 * (world.rank() % 2))};
    std::vector<std::uint8_t> greatest{static_cast<std::uint8_t>(100 * world.rank())};
    world.min(least);
    world.max(greatest);
    return expect(least[0] == -100, "the minimum") && expect(greatest[0] == 200, "the maximum");
  });
}

TEST(AWorld, WrapsSmallIntegers) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    std::vector<std::int8_t> sum{100};
    std::vector<std::uint8_t> product{20};
    world.sum(sum);
    world.product(product);
    return expect(sum[0] == 300 - 256, "the sum") && expect(product[0] == 8000 % 256, "the product");
  });
}

TEST(AWorld, FindsANaNOfAnyWorkerWithEveryStrategy) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    bool right = true;
    for (const char* strategy : {"all-to-all", "parameter-server", "ring", "direct", "recursive-doubling",
                                 "halving-doubling", "tree", "hierarchical"}) {
      for (const Rank odd : {0, 1, 2}) {
        const std::uint16_t nan = static_cast<std::uint16_t>(0xFC01 + world.rank());
        std::vector<float16> numbers(100, world.rank() == odd ? float16::from_bits(nan) : float16(1.0F));
        world.min(numbers, strategy);
        for (const float16 number : numbers)
          right = expect(number.bits() == 0x7E00, "the quiet NaN") && right;
      }
    }
    return right;
  });
}

TEST(AWorld, SaysWhoTakesAnotherReduction) {
  launch::JobOptions options;
  options.nodes = 3;
  options.memory = wire::shm::Segment::create(options.nodes);
  const launch::JobEnd end = launch::run_job(options, [](Rank rank) {
    World world = join(0, nullptr);
    std::vector<float16> numbers(100);
    rank == 1 ? world.max(numbers, "ring") : world.product(numbers, "ring");
    return 0;
  });
  ASSERT_TRUE(end.first_failure);
  EXPECT_THAT(end.first_failure->text, HasSubstr("rank 1 at max of 100 float16 by ring among 3 workers, "
                                                 "ranks 0 and 2 at product of 100 float16 by ring"));
}

}  // namespace
}  // namespace trireme
