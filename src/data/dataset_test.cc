#include "data/dataset.h"

#include <gtest/gtest.h>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

Dataset small_set() {
  return {.samples = 3, .shape = {1, 2, 2}, .classes = 5, .values = counting(12), .labels = {4, 0, 2}};
}

TEST(Dataset, KnowsTheBytesOfEachSample) {
  const Dataset dataset = small_set();
  EXPECT_EQ(dataset.sample_size(), 4);
  const auto last = dataset.sample(2);
  EXPECT_EQ(ByteString(last.begin(), last.end()), (ByteString{8, 9, 10, 11}));
}

TEST(Dataset, GathersSamplesAsPartsOf255InTheOrderAskedFor) {
  const std::vector<std::int64_t> indices{2, 0, 2};
  std::vector<float> out(12);
  gather_samples(small_set(), indices, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<float>(std::vector{8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11}[i]);
    EXPECT_EQ(out[i], byte / 255.0F);
  }
}

TEST(Dataset, TurnsBytesIntoNumbersFromZeroToOne) {
  const Dataset dataset{.samples = 1, .shape = {256}, .classes = 1, .values = counting(256), .labels = {0}};
  std::vector<float> out(256);
  gather_samples(dataset, std::vector<std::int64_t>{0}, out);
  EXPECT_EQ(out.front(), 0.0F);
  EXPECT_EQ(out[51], 0.2F);
  EXPECT_EQ(out.back(), 1.0F);
}

TEST(Dataset, GathersLabelsLikewise) {
  std::vector<std::int64_t> out(4);
  gather_labels(small_set(), std::vector<std::int64_t>{1, 2, 2, 0}, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 2, 2, 4}));
}

TEST(Dataset, HasItsSamplesInRowsOfTheFile) {
  Dataset dataset = small_set();
  dataset.rows = {2, 0};
  dataset.samples = 2;
  const auto first = dataset.sample(0);
  EXPECT_EQ(ByteString(first.begin(), first.end()), (ByteString{8, 9, 10, 11}));
  std::vector<float> out(4);
  gather_samples(dataset, std::vector<std::int64_t>{1}, out);
  EXPECT_EQ(out[3], 3.0F / 255);
}

TEST(Dataset, GathersLabelsAsNumbersToo) {
  Dataset dataset = small_set();
  dataset.labels[2] = -2.25;
  std::vector<float> out(2);
  gather_labels(dataset, std::vector<std::int64_t>{2, 0}, out);
  EXPECT_EQ(out, (std::vector<float>{-2.25, 4}));
}

TEST(Dataset, GathersNothingForAnEmptyBatch) {
  EXPECT_NO_THROW(gather_samples(small_set(), {}, {}));
  EXPECT_NO_THROW(gather_labels(small_set(), {}, std::span<float>()));
}

}  // namespace
}  // namespace trireme::data
