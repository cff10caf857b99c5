#include "data/normalization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::HasSubstr;

Numbers numbers_of(const std::vector<double>& values) {
  const ByteString bytes = npy_with("", values);
  return {NumberType::kFloat64, std::endian::native, ByteString(bytes.begin() + 10, bytes.end())};
}

Normalization fit(NormalizeKind kind, const std::vector<std::vector<double>>& samples,
                  NumberType type = NumberType::kFloat64) {
  NormalizationFit fit(kind, type, std::ssize(samples.front()));
  for (const std::vector<double>& sample : samples) fit.add(sample);
  return fit.result();
}

TEST(Normalization, ToUnitIsPartsOf255ForBytesWhateverTheyAre) {
  const Normalization unit = fit(NormalizeKind::kUnit, {{3, 7}}, NumberType::kUint8);
  EXPECT_EQ(unit, (Normalization{.offset = {0}, .scale = {255}}));
  std::vector<float> out(256);
  normalize(Numbers(counting(256)), 0, unit, out);
  for (int byte = 0; byte < 256; ++byte) EXPECT_EQ(out[idx(byte)], static_cast<float>(byte) / 255.0F) << byte;
}

TEST(Normalization, ToUnitIsFromTheLeastToTheGreatestNumberForOtherTypes) {
  EXPECT_EQ(fit(NormalizeKind::kUnit, {{3, -1}, {7, 0}}), (Normalization{.offset = {-1}, .scale = {8}}));
  EXPECT_EQ(fit(NormalizeKind::kUnit, {{5, 5}}), (Normalization{.offset = {5}, .scale = {1}}));
}

TEST(Normalization, ToStandardHasMeanAndDeviationOfEachFeature) {
  const std::vector<std::vector<double>> samples = {{1, 1e9 + 4, 7}, {3, 1e9 - 4, 7}};
  const Normalization standard = fit(NormalizeKind::kStandard, samples);
  EXPECT_EQ(standard, (Normalization{.offset = {2, 1e9, 7}, .scale = {1, 4, 1}}));
  std::vector<float> out(6);
  normalize(numbers_of({1, 1e9 + 4, 7, 3, 1e9 - 4, 8}), 0, standard, out);
  EXPECT_EQ(out, (std::vector<float>{-1, 1, 0, 1, -1, 1}));
}

TEST(Normalization, OfNoneLeavesNumbersAsTheyAre) {
  EXPECT_EQ(fit(NormalizeKind::kNone, {{5, 5}}), Normalization());
  std::vector<float> out(2);
  normalize(numbers_of({0.1, -3, 1e6}), 1, {}, out);
  EXPECT_EQ(out, (std::vector<float>{-3, 1e6}));
}

TEST(Normalization, IsTheSameForBothOrdersOfBytes) {
  ByteString turned = npy_with("", std::vector<double>{0.25});
  turned.erase(turned.begin(), turned.begin() + 10);
  std::reverse(turned.begin(), turned.end());
  std::vector<float> out(1);
  normalize(Numbers(NumberType::kFloat64, std::endian::big, turned), 0, {.offset = {1}, .scale = {2}}, out);
  EXPECT_EQ(out[0], -0.375F);
}

RC_GTEST_PROP(Normalization, ComesBackFromNamedNumbersBitByBit, (const std::vector<double>& offset)) {
  Normalization normalization{.offset = offset, .scale = std::vector<double>(offset.size(), 0.1)};
  for (double& number : normalization.offset) number = std::isfinite(number) ? number : 0;
  RC_ASSERT(normalization_of(named_numbers(normalization), std::ssize(offset)) == normalization);
}

TEST(Normalization, OfOtherNumbersIsRefused) {
  const auto refusal = [](const NamedNumbers& numbers) {
    return refusal_of([&] { return normalization_of(numbers, 3); });
  };
  EXPECT_EQ(
      refusal({{"offset", {0}}}),
      "the numbers of the normalization lack \"scale\"; take a checkpoint of a training with these data");
  EXPECT_THAT(refusal({{"offset", {0, 0}}, {"scale", {1, 1}}}),
              HasSubstr("has 2 offsets and 2 scales, and a sample has 3 features"));
  EXPECT_THAT(refusal({{"offset", {0}}, {"scale", {}}}), HasSubstr("has 1 offset and 0 scales"));
  EXPECT_THAT(refusal({{"offset", {0}}, {"scale", {0}}}), HasSubstr("a scale that is not above 0"));
  EXPECT_THAT(refusal({{"offset", {NAN}}, {"scale", {1}}}), HasSubstr("not finite"));
}

}  // namespace
}  // namespace trireme::data
