#include "data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/random_stream.h"
#include "data/data_test_util.h"

namespace trireme::data {
namespace {

constexpr std::array kKinds{SyntheticKind::kBlobs, SyntheticKind::kLinear, SyntheticKind::kStripes};

SyntheticSpec small_spec(SyntheticKind kind, std::uint64_t seed = 1) {
  return {.kind = kind, .train = 30, .test = 20, .shape = {1, 12, 12}, .classes = 4, .seed = seed};
}

// The class whose row of weights, with a bias at the end, has the largest product with a sample.
std::int64_t answer(const std::vector<std::vector<double>>& rows, std::span<const std::uint8_t> sample) {
  std::vector<double> products;
  for (const std::vector<double>& row : rows) {
    double sum = row.back();
    for (std::size_t i = 0; i < sample.size(); ++i) sum += row[i] * (sample[i] / 127.5 - 1);
    products.push_back(sum);
  }
  return std::max_element(products.begin(), products.end()) - products.begin();
}

double accuracy(const std::vector<std::vector<double>>& rows, const Dataset& dataset) {
  double right = 0;
  for (std::int64_t i = 0; i < dataset.samples; ++i) {
    right += static_cast<double>(answer(rows, dataset.sample(i))) == dataset.labels[idx(i)] ? 1 : 0;
  }
  return right / static_cast<double>(dataset.samples);
}

// Trains one perceptron per class.
std::vector<std::vector<double>> learned(const Dataset& dataset, int epochs) {
  std::vector<std::vector<double>> rows(idx(dataset.classes),
                                        std::vector<double>(idx(dataset.sample_size()) + 1));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::int64_t i = 0; i < dataset.samples; ++i) {
      const auto sample = dataset.sample(i);
      const auto label = static_cast<std::int64_t>(dataset.labels[idx(i)]);
      const std::int64_t guess = answer(rows, sample);
      if (guess == label) continue;
      for (const auto& [row, sign] : {std::pair(label, 1), std::pair(guess, -1)}) {
        for (std::size_t j = 0; j < sample.size(); ++j) rows[idx(row)][j] += sign * (sample[j] / 127.5 - 1);
        rows[idx(row)].back() += sign;
      }
    }
  }
  return rows;
}

TEST(SyntheticSet, HasTheShapeAndSizesAskedFor) {
  for (const SyntheticKind kind : kKinds) {
    const Split split = make_synthetic(small_spec(kind));
    EXPECT_EQ(split.train.samples, 30);
    EXPECT_EQ(split.test.samples, 20);
    for (const Dataset* dataset : {&split.train, &split.test}) {
      EXPECT_EQ(dataset->shape, (std::vector<std::int64_t>{1, 12, 12}));
      EXPECT_EQ(dataset->classes, 4);
      EXPECT_EQ(dataset->values.size(), dataset->samples * 144);
      EXPECT_EQ(std::ssize(dataset->labels), dataset->samples);
      for (const double label : dataset->labels) EXPECT_TRUE(label >= 0 && label < 4);
    }
  }
}

TEST(SyntheticSet, IsTheSameForTheSameSeedAndAnotherForAnother) {
  for (const SyntheticKind kind : kKinds) {
    EXPECT_EQ(make_synthetic(small_spec(kind, 7)), make_synthetic(small_spec(kind, 7)));
    EXPECT_NE(make_synthetic(small_spec(kind, 7)).train.values,
              make_synthetic(small_spec(kind, 8)).train.values);
  }
}

// The numbers come from a second implementation, in Python.
TEST(SyntheticSet, IsTheSameBitsEverywhere) {
  const Dataset blobs =
      make_synthetic(
          {.kind = SyntheticKind::kBlobs, .train = 2, .test = 1, .shape = {4}, .classes = 2, .seed = 1})
          .train;
  EXPECT_EQ(blobs.values, Numbers(ByteString{187, 138, 98, 201, 116, 139, 130, 113}));
  EXPECT_EQ(blobs.labels, (std::vector<double>{0, 1}));
  const Dataset linear =
      make_synthetic(
          {.kind = SyntheticKind::kLinear, .train = 4, .test = 1, .shape = {4}, .classes = 3, .seed = 1})
          .train;
  EXPECT_EQ(linear.values,
            Numbers(ByteString{86, 236, 235, 191, 41, 111, 67, 26, 64, 64, 254, 246, 1, 26, 161, 181}));
  EXPECT_EQ(linear.labels, (std::vector<double>{0, 1, 0, 0}));
  const Dataset stripes = make_synthetic({.kind = SyntheticKind::kStripes,
                                          .train = 1,
                                          .test = 1,
                                          .shape = {1, 4, 4},
                                          .classes = 4,
                                          .seed = 1})
                              .train;
  EXPECT_EQ(stripes.values,
            Numbers(ByteString{138, 41, 120, 71, 202, 180, 201, 158, 223, 255, 183, 136, 75, 76, 14, 136}));
  EXPECT_EQ(stripes.labels, std::vector<double>{0});
}

TEST(SyntheticSet, HasSamplesThatDoNotDependOnTheirNumber) {
  for (const SyntheticKind kind : kKinds) {
    SyntheticSpec spec = small_spec(kind);
    const Dataset few = make_synthetic(spec).train;
    spec.train = 60;
    const Dataset many = make_synthetic(spec).train;
    EXPECT_TRUE(std::ranges::equal(few.values.bytes(), many.values.bytes().first(few.values.bytes().size())));
    EXPECT_TRUE(std::equal(few.labels.begin(), few.labels.end(), many.labels.begin()));
  }
}

TEST(SyntheticSet, TestsWithOtherSamplesThanItTrainsOn) {
  for (const SyntheticKind kind : kKinds) {
    const Split split = make_synthetic(small_spec(kind));
    std::set<std::string> seen;
    for (const Dataset* dataset : {&split.train, &split.test}) {
      for (std::int64_t i = 0; i < dataset->samples; ++i) {
        const auto sample = dataset->sample(i);
        EXPECT_TRUE(seen.emplace(sample.begin(), sample.end()).second);
      }
    }
  }
}

TEST(Blobs, CanBeLearnedByALinearModel) {
  const Split split = make_synthetic({.kind = SyntheticKind::kBlobs, .train = 2000, .test = 500});
  EXPECT_GT(accuracy(learned(split.train, 5), split.test), 0.97);
}

TEST(LinearSet, CanBeLearnedByALinearModel) {
  const Split split = make_synthetic(
      {.kind = SyntheticKind::kLinear, .train = 2000, .test = 500, .shape = {10}, .classes = 4});
  EXPECT_GT(accuracy(learned(split.train, 40), split.test), 0.93);
}

TEST(LinearSet, HasEveryClass) {
  const Dataset train = make_synthetic({.kind = SyntheticKind::kLinear}).train;
  EXPECT_EQ(std::set(train.labels.begin(), train.labels.end()).size(), 10U);
}

// How similar pixels along a direction are: the feature that a convolution would detect.
double likeness(std::span<const std::uint8_t> image, std::int64_t across, std::int64_t down) {
  constexpr std::int64_t kSide = 28;
  double sum = 0;
  for (std::int64_t y = 8; y < kSide - 8; ++y) {
    for (std::int64_t x = 8; x < kSide - 8; ++x) {
      sum += (image[idx(y * kSide + x)] - 127.5) * (image[idx((y + down) * kSide + x + across)] - 127.5);
    }
  }
  return sum;
}

TEST(StripedImages, RunInTheDirectionOfTheirClass) {
  const Dataset train =
      make_synthetic({.kind = SyntheticKind::kStripes, .train = 400, .shape = {1, 28, 28}, .classes = 4})
          .train;
  constexpr std::array<std::array<std::int64_t, 2>, 4> kAlong{{{1, 0}, {0, 1}, {1, -1}, {1, 1}}};
  int right = 0;
  for (std::int64_t i = 0; i < train.samples; ++i) {
    std::vector<double> alike;
    for (const auto& [across, down] : kAlong) {
      double sum = 0;
      for (const std::int64_t steps : {1, 2, 3, 5, 6, 7})
        sum += likeness(train.sample(i), steps * across, steps * down);
      alike.push_back(sum);
    }
    const auto best = std::max_element(alike.begin(), alike.end()) - alike.begin();
    right += static_cast<double>(best) == train.labels[idx(i)] ? 1 : 0;
  }
  EXPECT_GT(right, 395);
}

TEST(StripedImages, BeginAnywhere) {
  const Dataset train =
      make_synthetic({.kind = SyntheticKind::kStripes, .train = 400, .shape = {1, 28, 28}}).train;
  // The mean over many images of a class is grey everywhere.
  for (std::size_t pixel = 0; pixel < 28; ++pixel) {
    double sum = 0;
    for (std::int64_t i = 0; i < train.samples; i += 10) sum += train.sample(i)[pixel * 28];
    EXPECT_NEAR(sum / 40, 128, 50);
  }
}

TEST(StripedImages, HaveNoMoreDirectionsAndWidthsThanRoom) {
  const auto refusal = [](std::vector<std::int64_t> shape, std::int64_t classes) {
    return refusal_of([&] {
      return make_synthetic(
          {.kind = SyntheticKind::kStripes, .train = 1, .test = 1, .shape = shape, .classes = classes});
    });
  };
  EXPECT_EQ(refusal({1, 28, 28}, 28), "accepted");
  EXPECT_EQ(
      refusal({1, 28, 28}, 29),
      "stripes of 29 classes repeat after up to 32 pixels, the images have 28 × 28; give at most 28 classes");
  EXPECT_EQ(refusal({1, 3, 28}, 2),
            "stripes of 2 classes repeat after up to 4 pixels, the images have 3 × 28; give images of 4 × 4 "
            "pixels or "
            "more");
  EXPECT_EQ(
      refusal({784}, 2),
      "stripes need images of 3 dimensions, not of 1; give channels, height and width, such as 1, 28, 28");
}

std::string refusal(const SyntheticSpec& spec) {
  return refusal_of([&] { return make_synthetic(spec); });
}

TEST(SyntheticSet, RefusesNumbersThatMakeNoSense) {
  EXPECT_EQ(refusal({.classes = 0}),
            "a synthetic data set cannot have 0 classes; give a number from 1 to 1,000");
  EXPECT_EQ(refusal({.train = 0}),
            "a synthetic data set cannot have 0 samples to train on; give a number from 1 to 214,748,364");
  EXPECT_EQ(refusal({.test = -3}),
            "a synthetic data set cannot have -3 samples to test with; give a number from 1 to 214,748,364");
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {0}, {-1, -1}, {1 << 23}, {1 << 30, 1 << 30, 1 << 30}}) {
    EXPECT_EQ(
        refusal({.shape = shape}),
        "the shape of a synthetic sample has no dimension, one below 1, or too many values in all; give "
        "dimensions with a product from 1 to 4,194,304");
  }
}

TEST(SyntheticKind, HasAName) {
  for (const SyntheticKind kind : kKinds) EXPECT_EQ(synthetic_kind(to_string(kind)), kind);
  EXPECT_EQ(refusal_of([] { return synthetic_kind("blob"); }),
            "'blob' is no kind of synthetic data set; did you mean blobs?");
  EXPECT_EQ(refusal_of([] { return synthetic_kind("xyzzy"); }),
            "'xyzzy' is no kind of synthetic data set; give one of blobs, linear, stripes");
}

TEST(SyntheticKind, HasAUsualShapeThatItCanBeMadeIn) {
  for (const SyntheticKind kind : kKinds) {
    EXPECT_EQ(refusal({.kind = kind, .train = 1, .test = 1, .shape = usual_shape(kind)}), "accepted");
  }
}

}  // namespace
}  // namespace trireme::data
