#include "exec/kernels/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/trials_test_util.h"
#include "exec/kernels/kernel_test_util.h"

namespace trireme::exec {
namespace {

constexpr ElementType kHalfTypes[] = {ElementType::kFloat16, ElementType::kBFloat16};

std::vector<std::uint16_t> all_halves() {
  std::vector<std::uint16_t> all(1 << 16);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  return all;
}

// One failure is enough to read.
void expect_narrowed(ElementType type, const std::vector<float>& wide) {
  const HalfFormat format = HalfFormat::of(type);
  std::vector<std::uint16_t> narrowed(wide.size());
  narrow(type, wide, narrowed);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::uint16_t expected = format.narrow(wide[i]);
    const bool right = format.is_nan(expected) ? format.is_nan(narrowed[i]) : narrowed[i] == expected;
    ASSERT_TRUE(right) << name(type) << " of " << std::hexfloat << wide[i] << " is " << std::hex
                       << narrowed[i] << ", not " << expected;
  }
}

TEST(Half, WidensEveryValueExactly) {
  const std::vector<std::uint16_t> halves = all_halves();
  on_every_target([&] {
    for (const ElementType type : kHalfTypes) {
      std::vector<float> wide(halves.size());
      widen(type, halves, wide);
      for (const std::uint16_t bits : halves) {
        const float expected = HalfFormat::of(type).widen(bits);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(wide[bits])) << name(type) << " " << bits;
        } else {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[bits]), std::bit_cast<std::uint32_t>(expected))
              << name(type) << " " << bits;
        }
      }
    }
  });
}

TEST(Half, NarrowsWhatItWidenedToTheSameBits) {
  const std::vector<std::uint16_t> halves = all_halves();
  on_every_target([&] {
    for (const ElementType type : kHalfTypes) {
      std::vector<float> wide(halves.size());
      std::vector<std::uint16_t> back(halves.size());
      widen(type, halves, wide);
      narrow(type, wide, back);
      for (const std::uint16_t bits : halves) {
        if (HalfFormat::of(type).is_nan(bits)) {
          ASSERT_TRUE(HalfFormat::of(type).is_nan(back[bits])) << bits;
        } else {
          ASSERT_EQ(back[bits], bits) << name(type);
        }
      }
    }
  });
}

TEST(Half, RoundsEveryHalfwayCaseToEvenAndItsNeighboursToTheNearest) {
  for (const ElementType type : kHalfTypes) {
    const HalfFormat format = HalfFormat::of(type);
    std::vector<float> wide;
    for (int bits = 0; bits < format.infinity(); ++bits) {
      const double below = format.widen(static_cast<std::uint16_t>(bits));
      // Past the largest value lies what would be the next one, were there one more exponent.
      const double above = bits + 1 < format.infinity() ? format.widen(static_cast<std::uint16_t>(bits + 1))
                                                        : std::ldexp(1.0, 1 << (format.exponent_bits - 1));
      const auto halfway = static_cast<float>((below + above) / 2);
      for (const float near : {std::nextafter(halfway, 0.0F), halfway, std::nextafter(halfway, INFINITY)}) {
        wide.push_back(near);
        wide.push_back(-near);
      }
    }
    on_every_target([&] { expect_narrowed(type, wide); });
  }
}

TEST(Half, RoundsRandomBitPatternsRight) {
  TestBits random(1);
  std::vector<float> wide(one_trial_in(1, 16) == 1 ? 2'000'003 : 125'003);  // primes: there is always a tail
  for (float& w : wide) w = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
  // Most of those are far outside float16: bring half of them into its range.
  for (std::size_t i = 0; i < wide.size(); i += 2) {
    const auto exponent = static_cast<std::uint32_t>(100 + random.next() % 46) << 23;
    wide[i] = std::bit_cast<float>((std::bit_cast<std::uint32_t>(wide[i]) & 0x807FFFFFu) | exponent);
  }
  on_every_target([&] {
    for (const ElementType type : kHalfTypes) expect_narrowed(type, wide);
  });
}

TEST(Half, KeepsNaNsThatLieInTheBitsRoundedAway) {
  std::vector<float> wide;
  for (int bit = 0; bit < 23; ++bit) {
    wide.push_back(std::bit_cast<float>(0x7F800000u | (1u << bit)));
    wide.push_back(std::bit_cast<float>(0xFF800000u | (1u << bit)));
  }
  wide.push_back(std::bit_cast<float>(0x7FFFFFFFu));
  wide.push_back(std::bit_cast<float>(0xFFFFFFFFu));
  on_every_target([&] {
    for (const ElementType type : kHalfTypes) expect_narrowed(type, wide);
  });
}

}  // namespace
}  // namespace trireme::exec
