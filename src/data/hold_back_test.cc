#include "data/hold_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::HasSubstr;

// Row i is {i, i + 0.5}, and its label is i.
Split split_of(std::int64_t samples, NumberType type = NumberType::kFloat64) {
  std::vector<double> values;
  Split split;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto number = static_cast<double>(i);
    values.insert(values.end(), {number, number + 0.5});
    split.train.labels.push_back(number);
  }
  ByteString bytes(values.size() * sizeof(double));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  split.train.values = Numbers(type, std::endian::native, bytes);
  split.train.samples = samples;
  split.train.shape = {2};
  return split;
}

RC_GTEST_PROP(HeldBack, IsAShareOfTheSamplesAndTheRestIsTrainedOn, ()) {
  const auto samples = *rc::gen::inRange<std::int64_t>(2, 200);
  const auto percent = *rc::gen::inRange<int>(0, 101);
  Split split = split_of(samples);
  hold_back_test(split, percent / 100.0, 7);
  const auto wanted = static_cast<std::int64_t>(std::llround(percent / 100.0 * static_cast<double>(samples)));
  RC_ASSERT(split.test.samples == std::clamp<std::int64_t>(wanted, 1, samples - 1));
  std::set<double> seen;
  for (const Dataset* part : {&split.train, &split.test}) {
    RC_ASSERT(part->samples == std::ssize(part->labels));
    RC_ASSERT(std::ranges::is_sorted(part->labels));
    for (std::int64_t i = 0; i < part->samples; ++i) {
      std::vector<double> row(2);
      part->values.read(part->first_value(i), row);
      RC_ASSERT(row[0] == part->labels[idx(i)]);
      seen.insert(row[0]);
    }
  }
  RC_ASSERT(std::ssize(seen) == samples);
}

TEST(HeldBack, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto held_back = [](std::uint64_t seed) {
    Split split = split_of(100);
    hold_back_test(split, 0.1, seed);
    return split.test.rows;
  };
  EXPECT_EQ(held_back(1), held_back(1));
  EXPECT_NE(held_back(1), held_back(2));
  EXPECT_EQ(held_back(1).size(), 10U);
}

TEST(HeldBack, NeedsTwoSamples) {
  Split split = split_of(1);
  EXPECT_THAT(refusal_of([&] {
                hold_back_test(split, 0.1, 1);
                return 0;
              }),
              HasSubstr("of 1 sample none can be held back"));
}

TEST(SettledNormalization, ComesFromTheTrainingSamplesAlone) {
  Split split = split_of(50);
  hold_back_test(split, 0.2, 3);
  settle_normalization(split, NormalizeKind::kStandard, {}, "a", "a");
  double sum = 0;
  for (const double label : split.train.labels) sum += label;
  EXPECT_NEAR(split.train.normalization.offset[0], sum / 40, 1e-12);
  EXPECT_NEAR(split.train.normalization.offset[1], sum / 40 + 0.5, 1e-12);
  EXPECT_EQ(split.test.normalization, split.train.normalization);
}

TEST(SettledNormalization, IsTheOneThatIsKept) {
  Split split = split_of(50);
  hold_back_test(split, 0.2, 3);
  const Normalization kept{.offset = {5}, .scale = {2}};
  settle_normalization(split, NormalizeKind::kStandard, kept, "a", "a");
  EXPECT_EQ(split.train.normalization, kept);
  EXPECT_EQ(split.test.normalization, kept);
}

TEST(SettledNormalization, RefusesNumbersThatAreNotFinite) {
  const auto with = [](double number) {
    Split split = split_of(4);
    ByteString bytes(split.train.values.bytes().begin(), split.train.values.bytes().end());
    std::memcpy(bytes.data() + 5 * sizeof(double), &number, sizeof number);
    split.train.values = Numbers(NumberType::kFloat64, std::endian::native, bytes);
    return split;
  };
  const auto refusal = [](Split split) {
    return refusal_of([&] {
      settle_normalization(split, NormalizeKind::kNone, {}, "train.npy", "test.npy");
      return 0;
    });
  };
  EXPECT_EQ(refusal(with(1e308)), "accepted");
  EXPECT_EQ(
      refusal(with(NAN)),
      "train.npy: feature 1 of sample 2 is nan, and not a finite number (both counted from 0); take such "
      "samples out, or replace the number");
  EXPECT_THAT(refusal(with(-INFINITY)), HasSubstr("feature 1 of sample 2 is -inf"));
  EXPECT_THAT(refusal({split_of(3).train, with(NAN).train}),
              HasSubstr("test.npy: feature 1 of sample 2 is nan"));
}

}  // namespace
}  // namespace trireme::data
