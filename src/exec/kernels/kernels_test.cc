#include "exec/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "exec/kernels/kernel_test_util.h"
#include "exec/kernels/reference_test_util.h"

namespace trireme::exec {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
Bytes to_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  TestBits random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.number());
  return values;
}

// 16-bit numbers that are neither infinite nor NaN.
std::vector<std::uint16_t> random_halves(ElementType type, std::size_t count, std::uint64_t seed) {
  TestBits random(seed);
  std::vector<std::uint16_t> halves(count);
  for (auto& half : halves) half = HalfFormat::of(type).narrow(static_cast<float>(random.number()));
  return halves;
}

// Folds copies that lie `shift` bytes off and end exactly with their memory, so that a sanitizer sees a read
// too far.
Bytes fold_of(ElementType type, Reduction reduction, const std::vector<Bytes>& sources, std::size_t shift) {
  std::vector<Bytes> shifted;
  std::vector<const std::byte*> pointers;
  pointers.reserve(sources.size());
  for (const Bytes& source : sources) {
    shifted.emplace_back(shift + source.size());
    if (!source.empty()) std::memcpy(shifted.back().data() + shift, source.data(), source.size());
    shifted.back().shrink_to_fit();
  }
  for (const Bytes& source : shifted) pointers.push_back(source.data() + shift);
  Bytes into(shift + sources[0].size());
  std::byte* const target = into.data() + shift;
  fold(type, reduction, {&target, 1}, pointers, static_cast<std::int64_t>(sources[0].size()) / size_of(type));
  return {into.begin() + static_cast<std::ptrdiff_t>(shift), into.end()};
}

// Sizes around every length of vector and block, and past them.
std::vector<std::size_t> awkward_counts() {
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count <= 140; ++count) counts.push_back(count);
  counts.insert(counts.end(), {255, 256, 257, 1000, 4099});
  return counts;
}

// The reductions that a kernel knows: an average is a sum, and a division.
std::vector<Reduction> kernel_reductions() {
  return {Reduction::kSum, Reduction::kProduct, Reduction::kMin, Reduction::kMax};
}

TEST(Fold, CombinesTheSourcesInTheirOrder) {
  for (const ElementType type : all_element_types()) {
    for (const Reduction reduction : kernel_reductions()) {
      for (const std::size_t count : awkward_counts()) {
        std::vector<Bytes> sources;
        for (std::size_t s = 0; s < 1 + count % 9; ++s)
          sources.push_back(awkward_numbers(type, count, 10 * count + s));
        const Bytes expected = reduced_plainly(type, reduction, sources);
        on_every_target([&] {
          ASSERT_TRUE(same_numbers(type, reduction, fold_of(type, reduction, sources, count % 7), expected))
              << name(reduction) << " of " << count << " " << name(type);
        });
      }
    }
  }
}

TEST(Fold, MayWriteOverAnyOneOfItsSources) {
  constexpr std::size_t kCount = 333;
  for (std::size_t target = 0; target < 5; ++target) {
    std::vector<std::vector<float>> sources;
    std::vector<Bytes> copies;
    std::vector<const std::byte*> pointers;
    pointers.reserve(5);
    for (std::size_t s = 0; s < 5; ++s) {
      sources.push_back(random_values<float>(kCount, s));
      copies.push_back(to_bytes(sources.back()));
    }
    for (const auto& source : sources) pointers.push_back(std::as_bytes(std::span(source)).data());
    std::byte* const into = std::as_writable_bytes(std::span(sources[target])).data();
    fold(ElementType::kFloat32, Reduction::kSum, {&into, 1}, pointers, kCount);
    EXPECT_EQ(to_bytes(sources[target]), fold_of(ElementType::kFloat32, Reduction::kSum, copies, 0));
  }
}

TEST(Fold, StoresTheResultInEveryTarget) {
  for (const ElementType type : all_element_types()) {
    for (const Reduction reduction : kernel_reductions()) {
      on_every_target([&] {
        for (const std::size_t count : awkward_counts()) {
          std::vector<Bytes> copies;
          for (std::uint64_t s = 0; s < 3; ++s) copies.push_back(awkward_numbers(type, count, s));
          const Bytes expected = fold_of(type, reduction, copies, 0);
          std::vector<std::byte*> targets;
          targets.reserve(copies.size());
          for (Bytes& copy : copies) targets.push_back(copy.data());
          const std::vector<const std::byte*> sources(targets.begin(), targets.end());
          fold(type, reduction, targets, sources, static_cast<std::int64_t>(count));
          for (const Bytes& copy : copies) ASSERT_EQ(copy, expected) << name(type) << " " << count;
        }
      });
    }
  }
}

TEST(Fold, DividesAsIfTheSumHadBeenStoredFirst) {
  for (const ElementType type : all_element_types()) {
    if (is_integer(type)) continue;
    on_every_target([&] {
      for (const std::size_t count : awkward_counts()) {
        Bytes into = awkward_numbers(type, count, 1);
        const Bytes other = awkward_numbers(type, count, 2);
        Bytes expected = fold_of(type, Reduction::kSum, {into, other}, 0);
        divide(type, expected.data(), static_cast<std::int64_t>(count), 3);
        std::byte* const target = into.data();
        const std::byte* const sources[] = {into.data(), other.data()};
        fold(type, Reduction::kAverage, {&target, 1}, sources, static_cast<std::int64_t>(count), 3);
        ASSERT_EQ(into, expected) << name(type) << " " << count;
      }
    });
  }
}

TEST(Fold, WrapsSumsAndProductsOfIntegers) {
  const auto of = [](ElementType type, Reduction reduction, auto a, auto b) {
    decltype(a) into{};
    const Bytes folded = fold_of(type, reduction, {to_bytes(std::vector{a}), to_bytes(std::vector{b})}, 0);
    std::memcpy(&into, folded.data(), sizeof(into));
    return into;
  };
  on_every_target([&] {
    EXPECT_EQ(of(ElementType::kInt8, Reduction::kSum, std::int8_t{127}, std::int8_t{1}), -128);
    EXPECT_EQ(of(ElementType::kInt8, Reduction::kProduct, std::int8_t{-128}, std::int8_t{-1}), -128);
    EXPECT_EQ(of(ElementType::kUint8, Reduction::kSum, std::uint8_t{200}, std::uint8_t{100}), 44);
    EXPECT_EQ(of(ElementType::kUint8, Reduction::kProduct, std::uint8_t{255}, std::uint8_t{255}), 1);
    EXPECT_EQ(of(ElementType::kInt32, Reduction::kSum, INT32_MAX, 1), INT32_MIN);
    EXPECT_EQ(of(ElementType::kInt32, Reduction::kProduct, INT32_MIN, -1), INT32_MIN);
    EXPECT_EQ(of(ElementType::kInt64, Reduction::kSum, std::int64_t{INT64_MAX}, std::int64_t{1}), INT64_MIN);
    EXPECT_EQ(of(ElementType::kInt64, Reduction::kProduct, std::int64_t{INT64_MIN}, std::int64_t{-1}),
              INT64_MIN);
  });
}

// Bits of a float: the least and the greatest of these two, in either order.
void expect_extremes(std::uint32_t a, std::uint32_t b, std::uint32_t least, std::uint32_t greatest) {
  const Bytes one = to_bytes(std::vector(100, a));
  const Bytes other = to_bytes(std::vector(100, b));
  for (const std::vector<Bytes>& sources : {std::vector{one, other}, std::vector{other, one}}) {
    on_every_target([&] {
      EXPECT_EQ(fold_of(ElementType::kFloat32, Reduction::kMin, sources, 0),
                to_bytes(std::vector(100, least)));
      EXPECT_EQ(fold_of(ElementType::kFloat32, Reduction::kMax, sources, 0),
                to_bytes(std::vector(100, greatest)));
    });
  }
}

TEST(MinAndMax, TellTheZerosApart) { expect_extremes(0x8000'0000, 0, 0x8000'0000, 0); }

TEST(MinAndMax, AreTheQuietNaNIfAnyNumberIsNaN) {
  constexpr std::uint32_t kQuiet = 0x7FC0'0000;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN()), kQuiet);
  for (const std::uint32_t nan :
       {0x7F80'0001u, 0xFF80'0001u, 0x7FFF'FFFFu, 0xFFFF'FFFFu, 0xFFC0'0000u, kQuiet}) {
    for (const std::uint32_t other :
         {0u, 0x8000'0000u, 0x7F80'0000u, 0xFF80'0000u, 0x3F80'0000u, 0xFFFF'FFFFu}) {
      expect_extremes(nan, nan, kQuiet, kQuiet);
      expect_extremes(nan, other, kQuiet, kQuiet);
    }
  }
}

TEST(MinAndMax, DependOnNoOrder) {
  for (const ElementType type : all_element_types()) {
    for (const Reduction reduction : {Reduction::kMin, Reduction::kMax}) {
      std::vector<Bytes> sources;
      for (std::uint64_t s = 0; s < 4; ++s) sources.push_back(awkward_numbers(type, 5000, s));
      const Bytes expected = fold_of(type, reduction, sources, 0);
      do {
        const Bytes halves[] = {fold_of(type, reduction, {sources[0], sources[1]}, 0),
                                fold_of(type, reduction, {sources[2], sources[3]}, 0)};
        ASSERT_EQ(fold_of(type, reduction, sources, 0), expected) << name(type);
        ASSERT_EQ(fold_of(type, reduction, {halves[0], halves[1]}, 0), expected) << name(type);
      } while (std::next_permutation(sources.begin(), sources.end()));
    }
  }
}

TEST(CombineKernel, IsTheFoldOfTwo) {
  for (const ElementType type : all_element_types()) {
    for (const Reduction reduction : all_reductions()) {
      Bytes into = awkward_numbers(type, 123, 1);
      const Bytes from = awkward_numbers(type, 123, 2);
      const Bytes expected = fold_of(type, reduction, {into, from}, 0);
      combine_kernel(type, reduction)(into.data(), from.data(), into.size());
      EXPECT_EQ(into, expected) << name(reduction) << " of " << name(type);
    }
  }
}

TEST(CombineKernel, GivesTheSameBitsInPieces) {
  const std::vector<float> from = random_values<float>(1000, 1);
  std::vector<float> at_once = random_values<float>(1000, 2);
  std::vector<float> in_pieces = at_once;
  const wire::Combine add = combine_kernel(ElementType::kFloat32, Reduction::kSum);
  const std::byte* source = std::as_bytes(std::span(from)).data();
  add(std::as_writable_bytes(std::span(at_once)).data(), source, 4000);
  std::byte* into = std::as_writable_bytes(std::span(in_pieces)).data();
  for (std::size_t at = 0; at < 4000; at += 192)
    add(into + at, source + at, std::min<std::size_t>(192, 4000 - at));
  EXPECT_EQ(to_bytes(in_pieces), to_bytes(at_once));
}

TEST(Divide, IsOneIeeeDivision) {
  on_every_target([&] {
    for (const std::size_t count : awkward_counts()) {
      std::vector<float> floats = random_values<float>(count, 1);
      std::vector<double> doubles = random_values<double>(count, 2);
      Bytes float_bytes = to_bytes(floats);
      Bytes double_bytes = to_bytes(doubles);
      for (float& f : floats) f /= 7.0F;
      for (double& d : doubles) d /= 7.0;
      divide(ElementType::kFloat32, float_bytes.data(), static_cast<std::int64_t>(count), 7);
      divide(ElementType::kFloat64, double_bytes.data(), static_cast<std::int64_t>(count), 7);
      ASSERT_EQ(float_bytes, to_bytes(floats)) << count;
      ASSERT_EQ(double_bytes, to_bytes(doubles)) << count;
    }
  });
}

TEST(Divide, RoundsHalvesOnce) {
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBFloat16}) {
    const HalfFormat format = HalfFormat::of(type);
    std::vector<std::uint16_t> halves = random_halves(type, 777, 3);
    Bytes bytes = to_bytes(halves);
    for (auto& half : halves) half = format.narrow(format.widen(half) / 3.0F);
    on_every_target([&] {
      Bytes divided = bytes;
      divide(type, divided.data(), 777, 3);
      EXPECT_EQ(divided, to_bytes(halves)) << name(type);
    });
  }
}

TEST(Divide, RefusesIntegers) {
  Bytes bytes(16);
  for (const ElementType type : all_element_types()) {
    if (!is_integer(type)) continue;
    EXPECT_THROW(divide(type, bytes.data(), 2, 2), Error) << name(type);
  }
}

}  // namespace
}  // namespace trireme::exec
