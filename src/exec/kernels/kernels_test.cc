#include "exec/kernels/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "exec/kernels/kernel_test_util.h"

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
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(random.number());
    } else {
      value = static_cast<T>(random.next());
    }
  }
  return values;
}

// 16-bit numbers that are neither infinite nor NaN.
std::vector<std::uint16_t> random_halves(ElementType type, std::size_t count, std::uint64_t seed) {
  TestBits random(seed);
  std::vector<std::uint16_t> halves(count);
  for (auto& half : halves) half = HalfFormat::of(type).narrow(static_cast<float>(random.number()));
  return halves;
}

Bytes random_bytes(ElementType type, std::size_t count, std::uint64_t seed) {
  if (is_16_bit(type)) return to_bytes(random_halves(type, count, seed));
  if (type == ElementType::kFloat32) return to_bytes(random_values<float>(count, seed));
  if (type == ElementType::kFloat64) return to_bytes(random_values<double>(count, seed));
  if (type == ElementType::kInt32) return to_bytes(random_values<std::uint32_t>(count, seed));
  return to_bytes(random_values<std::uint64_t>(count, seed));
}

// Folds copies that lie `shift` bytes off and end exactly with their memory, so that a sanitizer sees a read
// too far.
Bytes fold_of(ElementType type, const std::vector<Bytes>& sources, std::size_t shift) {
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
  fold(type, {&target, 1}, pointers, static_cast<std::int64_t>(sources[0].size()) / size_of(type));
  return {into.begin() + static_cast<std::ptrdiff_t>(shift), into.end()};
}

// Sizes around every length of vector and block, and past them.
std::vector<std::size_t> awkward_counts() {
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count <= 140; ++count) counts.push_back(count);
  counts.insert(counts.end(), {255, 256, 257, 1000, 4099});
  return counts;
}

// `add(sum, next)` is the plain addition of two stored values.
template <typename T, typename Make, typename Add>
void expect_folds_in_order(ElementType type, Make make, Add add) {
  on_every_target([&] {
    for (const std::size_t count : awkward_counts()) {
      const std::size_t source_count = 1 + count % 9;
      std::vector<Bytes> sources;
      std::vector<T> expected = make(count, 0);
      sources.push_back(to_bytes(expected));
      for (std::size_t s = 1; s < source_count; ++s) {
        const std::vector<T> next = make(count, s);
        for (std::size_t i = 0; i < count; ++i) expected[i] = add(expected[i], next[i]);
        sources.push_back(to_bytes(next));
      }
      ASSERT_EQ(fold_of(type, sources, count % 4), to_bytes(expected)) << name(type) << " " << count;
    }
  });
}

TEST(Fold, AddsFloatsInTheOrderOfTheSources) {
  expect_folds_in_order<float>(ElementType::kFloat32, random_values<float>,
                               [](float a, float b) { return a + b; });
  expect_folds_in_order<double>(ElementType::kFloat64, random_values<double>,
                                [](double a, double b) { return a + b; });
}

TEST(Fold, WrapsIntegers) {
  expect_folds_in_order<std::uint32_t>(ElementType::kInt32, random_values<std::uint32_t>,
                                       [](std::uint32_t a, std::uint32_t b) { return a + b; });
  expect_folds_in_order<std::uint64_t>(ElementType::kInt64, random_values<std::uint64_t>,
                                       [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

TEST(Fold, AddsHalvesInFloat32AndRoundsOnce) {
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBFloat16}) {
    const HalfFormat format = HalfFormat::of(type);
    on_every_target([&] {
      for (const std::size_t count : awkward_counts()) {
        std::vector<Bytes> sources;
        std::vector<float> sums;
        for (std::uint64_t s = 0; s < 1 + count % 9; ++s) {
          const std::vector<std::uint16_t> next = random_halves(type, count, s);
          for (std::size_t i = 0; i < count; ++i) {
            if (s == 0) {
              sums.push_back(format.widen(next[i]));
            } else {
              sums[i] += format.widen(next[i]);
            }
          }
          sources.push_back(to_bytes(next));
        }
        std::vector<std::uint16_t> expected;
        expected.reserve(count);
        for (const float sum : sums) expected.push_back(format.narrow(sum));
        ASSERT_EQ(fold_of(type, sources, count % 4), to_bytes(expected)) << name(type) << " " << count;
      }
    });
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
    fold(ElementType::kFloat32, {&into, 1}, pointers, kCount);
    EXPECT_EQ(to_bytes(sources[target]), fold_of(ElementType::kFloat32, copies, 0));
  }
}

TEST(Fold, StoresTheSumInEveryTarget) {
  for (const ElementType type : all_element_types()) {
    on_every_target([&] {
      for (const std::size_t count : awkward_counts()) {
        std::vector<Bytes> copies;
        for (std::uint64_t s = 0; s < 3; ++s) copies.push_back(random_bytes(type, count, s));
        const Bytes expected = fold_of(type, copies, 0);
        std::vector<std::byte*> targets;
        for (Bytes& copy : copies) targets.push_back(copy.data());
        const std::vector<const std::byte*> sources(targets.begin(), targets.end());
        fold(type, targets, sources, static_cast<std::int64_t>(count));
        for (const Bytes& copy : copies) ASSERT_EQ(copy, expected) << name(type) << " " << count;
      }
    });
  }
}

TEST(Fold, DividesAsIfTheSumHadBeenStoredFirst) {
  for (const ElementType type : all_element_types()) {
    if (is_integer(type)) continue;
    on_every_target([&] {
      for (const std::size_t count : awkward_counts()) {
        Bytes into = random_bytes(type, count, 1);
        const Bytes other = random_bytes(type, count, 2);
        Bytes expected = fold_of(type, {into, other}, 0);
        divide(type, expected.data(), static_cast<std::int64_t>(count), 3);
        std::byte* const target = into.data();
        const std::byte* const sources[] = {into.data(), other.data()};
        fold(type, {&target, 1}, sources, static_cast<std::int64_t>(count), 3);
        ASSERT_EQ(into, expected) << name(type) << " " << count;
      }
    });
  }
}

TEST(AddKernel, IsTheFoldOfTwo) {
  for (const ElementType type : all_element_types()) {
    const std::size_t count = 123;
    Bytes into =
        is_16_bit(type) ? to_bytes(random_halves(type, count, 1)) : to_bytes(random_values<double>(count, 1));
    const Bytes from =
        is_16_bit(type) ? to_bytes(random_halves(type, count, 2)) : to_bytes(random_values<double>(count, 2));
    const Bytes expected = fold_of(type, {into, from}, 0);
    add_kernel(type)(into.data(), from.data(), into.size());
    EXPECT_EQ(into, expected) << name(type);
  }
}

TEST(AddKernel, GivesTheSameBitsInPieces) {
  const std::vector<float> from = random_values<float>(1000, 1);
  std::vector<float> at_once = random_values<float>(1000, 2);
  std::vector<float> in_pieces = at_once;
  const wire::Combine add = add_kernel(ElementType::kFloat32);
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
  EXPECT_THROW(divide(ElementType::kInt32, bytes.data(), 4, 2), Error);
  EXPECT_THROW(divide(ElementType::kInt64, bytes.data(), 2, 2), Error);
}

}  // namespace
}  // namespace trireme::exec
