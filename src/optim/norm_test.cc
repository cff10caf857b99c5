#include "optim/norm.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "optim/rule_test_util.h"
#include "optim/torch_reference_test_util.h"

namespace trireme::optim {
namespace {

constexpr std::size_t kBlock = idx(kNormBlock);

std::vector<double> sums_of(std::span<const float> range) {
  std::vector<double> sums(idx(norm_blocks(static_cast<std::int64_t>(range.size()))));
  sum_squares(range, sums);
  return sums;
}

std::vector<double> joined(std::vector<double> front, const std::vector<double>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

std::vector<float> scaled(std::vector<float> values, float factor) {
  scale(values, factor);
  return values;
}

TEST(Norm, OfNothingIsZero) {
  EXPECT_EQ(norm_blocks(0), 0);
  EXPECT_EQ(norm_of({}), 0);
}

TEST(Norm, IsExactWhereTheAnswerIs) {
  EXPECT_EQ(norm_of(sums_of(std::vector<float>{3, -4})), 5);
  EXPECT_EQ(norm_of(sums_of(std::vector<float>(kBlock * 4, 0.5F))), 64);
  EXPECT_EQ(norm_of(joined(sums_of(std::vector<float>{3}), sums_of(std::vector<float>{4}))), 5);
}

TEST(Norm, CountsEveryElementOnce) {
  for (std::size_t size = 1; size < 70; ++size) {
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<float> values(size);
      values[i] = 3;
      EXPECT_EQ(sums_of(values), std::vector<double>{9}) << i << " of " << size;
    }
  }
}

TEST(Norm, DoesNotOverflowWhereFloat32Would) {
  EXPECT_EQ(norm_of(sums_of(std::vector<float>(4, 0x1p127F))), 0x1p128);
}

// The order that the header promises, written out.
double sum_as_promised(const std::vector<float>& block) {
  std::vector<double> sums(16);
  for (std::size_t i = 0; i < block.size(); ++i) {
    sums[i % 16] += static_cast<double>(block[i]) * static_cast<double>(block[i]);
  }
  while (sums.size() > 1) {
    for (std::size_t i = 0; i < sums.size() / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    sums.resize(sums.size() / 2);
  }
  return sums[0];
}

TEST(Norm, AddsABlockInItsPromisedOrder) {
  for (std::size_t missing = 0; missing < 40; ++missing) {
    const std::vector<float> values = random_floats(kBlock - missing, missing);
    EXPECT_EQ(sums_of(values), std::vector<double>{sum_as_promised(values)}) << missing << " missing";
  }
}

RC_GTEST_PROP(Norm, HasTheSameBitsHoweverTheBufferIsCutBetweenBlocks, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 10 * kBlock);
  const std::vector<float> values = random_floats(size, *rc::gen::arbitrary<std::uint64_t>());
  const std::size_t cut = std::min(size, kBlock * *rc::gen::inRange<std::size_t>(0, 11));
  const std::span<const float> buffer = values;
  RC_ASSERT(joined(sums_of(buffer.first(cut)), sums_of(buffer.subspan(cut))) == sums_of(buffer));
}

// PyTorch adds in float32 and computes the factor with a reciprocal in float32: a few parts in 10⁷ differ.
TEST(Clipping, IsNearThatOfPyTorch) {
  for (const TorchClip& torch : kTorchClips) {
    std::vector<float> first = scaled(kTorchGradients[1], torch.scale);
    const std::vector<float> second = scaled(kTorchGradients[2], torch.scale);
    const double norm = norm_of(joined(sums_of(first), sums_of(second)));
    EXPECT_NEAR(norm / torch.norm, 1, 2e-7);
    scale(first, clip_factor(norm, torch.max_norm));
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NEAR(first[i], torch.clipped[i], 4e-7F * std::abs(torch.clipped[i])) << i;
    }
  }
}

TEST(ClipFactor, IsOneUpToTheNormAndLessBeyond) {
  EXPECT_EQ(clip_factor(0, 1), 1);
  EXPECT_EQ(clip_factor(0.5, 1), 1);
  EXPECT_EQ(clip_factor(4, 1), static_cast<float>(1 / 4.000001));
  EXPECT_EQ(clip_factor(4, std::numeric_limits<double>::infinity()), 1);
}

TEST(ClipFactor, DoesNotHideANormThatIsNoNumber) {
  EXPECT_TRUE(std::isnan(clip_factor(std::numeric_limits<double>::quiet_NaN(), 1)));
  EXPECT_EQ(clip_factor(std::numeric_limits<double>::infinity(), 1), 0);
}

TEST(ClipFactor, NeedsAPositiveNorm) {
  EXPECT_THROW((void)clip_factor(1, 0), Error);
  EXPECT_THROW((void)clip_factor(1, -1), Error);
  EXPECT_THROW((void)clip_factor(1, std::numeric_limits<double>::quiet_NaN()), Error);
}

TEST(Scale, MultipliesEveryElement) {
  std::vector<float> values = {1, -2, 0.5F};
  scale(values, 0.25F);
  EXPECT_EQ(values, (std::vector<float>{0.25F, -0.5F, 0.125F}));
}

}  // namespace
}  // namespace trireme::optim
