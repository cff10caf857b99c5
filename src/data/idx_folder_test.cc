#include "data/idx_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTrainImages = "train-images-idx3-ubyte";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte";

// 4 images to train on and 2 to test with, of 2 × 3 pixels and 3 classes.
class IdxFolder : public testing::Test {
 protected:
  IdxFolder() {
    put(kTrainImages, idx_bytes({4, 2, 3}, counting(24)));
    put(kTrainLabels, idx_bytes({4}, {2, 0, 1, 2}));
    put(kTestImages, idx_bytes({2, 2, 3}, counting(12)));
    put(kTestLabels, idx_bytes({2}, {1, 0}));
  }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_.path() / name; }
  void put(const std::string& name, const ByteString& bytes) const {
    (void)folder_.write(name, as_text(bytes));
  }
  [[nodiscard]] Split load(std::int64_t classes = 3) const {
    return load_idx_folder(folder_.path(), {.classes = classes});
  }
  // `look_at_idx_folder` must report the same error.
  [[nodiscard]] std::string refusal(std::int64_t classes = 3) const {
    std::string words = refusal_of([&] { return load(classes); });
    EXPECT_EQ(refusal_of([&] { return look_at_idx_folder(folder_.path(), {.classes = classes}); }), words);
    return words;
  }

  ScratchFolder folder_;
};

TEST_F(IdxFolder, BecomesTwoDataSets) {
  const Split split = load();
  EXPECT_EQ(
      split.train,
      (Dataset{
          .samples = 4, .shape = {1, 2, 3}, .classes = 3, .values = counting(24), .labels = {2, 0, 1, 2}}));
  EXPECT_EQ(
      split.test,
      (Dataset{.samples = 2, .shape = {1, 2, 3}, .classes = 3, .values = counting(12), .labels = {1, 0}}));
}

TEST_F(IdxFolder, IsTheSameCompressed) {
  const Split plain = load();
  put(std::string(kTrainImages) + ".gz", gzip(idx_bytes({4, 2, 3}, counting(24))));
  put(std::string(kTestLabels) + ".gz", gzip(idx_bytes({2}, {1, 0})));
  std::filesystem::remove(file(kTrainImages));
  std::filesystem::remove(file(kTestLabels));
  EXPECT_EQ(load(), plain);
}

TEST_F(IdxFolder, ThatIsLookedAtHasNoValuesOfImages) {
  const auto expect_looked_at = [&] {
    Split expected = load();
    expected.train.values = expected.test.values = {};
    EXPECT_EQ(look_at_idx_folder(folder_.path(), {.classes = 3}), expected);
  };
  expect_looked_at();
  put(std::string(kTrainImages) + ".gz", gzip(idx_bytes({4, 2, 3}, counting(24))));
  std::filesystem::remove(file(kTrainImages));
  expect_looked_at();
}

TEST_F(IdxFolder, ThatIsCutOffIsRefusedByALook) {
  ByteString compressed = gzip(idx_bytes({4, 2, 3}, counting(24)));
  compressed.resize(compressed.size() - 5);
  put(kTrainImages, idx_bytes({4, 2, 3}, counting(23)));
  EXPECT_THAT(refusal(), HasSubstr(std::string(kTrainImages) + ": the file ends after 39 bytes"));
  put(std::string(kTrainImages) + ".gz", compressed);
  std::filesystem::remove(file(kTrainImages));
  EXPECT_THAT(refusal(), HasSubstr(std::string(kTrainImages) + ".gz ends in the middle of its gzip data"));
}

TEST_F(IdxFolder, IsReadPlainWhereBothAreThere) {
  put(std::string(kTrainImages) + ".gz", {1, 2, 3});
  EXPECT_EQ(load().train.samples, 4);
}

TEST_F(IdxFolder, MayHoldSamplesOfOtherShapes) {
  put(kTrainImages, idx_bytes({4, 6}, counting(24)));
  put(kTestImages, idx_bytes({2, 6}, counting(12)));
  EXPECT_EQ(load().train.shape, (std::vector<std::int64_t>{6}));
  put(kTrainImages, idx_bytes({4, 3, 1, 2}, counting(24)));
  put(kTestImages, idx_bytes({2, 3, 1, 2}, counting(12)));
  EXPECT_EQ(load().train.shape, (std::vector<std::int64_t>{3, 1, 2}));
}

TEST_F(IdxFolder, WithoutAFileIsRefused) {
  for (const std::string name : {kTrainImages, kTrainLabels, kTestImages, kTestLabels}) {
    const std::string aside = folder_.path() / "aside";
    std::filesystem::rename(file(name), aside);
    EXPECT_EQ(refusal(),
              "there is neither " + file(name) + " nor " + name + ".gz; check that the path is right");
    std::filesystem::rename(aside, file(name));
  }
}

TEST_F(IdxFolder, WithABrokenFileIsRefused) {
  put(kTestImages, idx_bytes({2, 2, 3}, counting(11)));
  EXPECT_THAT(refusal(), StartsWith(file(kTestImages) + ": the file ends after 27 bytes"));
}

TEST_F(IdxFolder, WithALabelBeyondTheClassesIsRefused) {
  EXPECT_EQ(refusal(2),
            file(kTrainLabels) +
                ": label 0 is 2, with 2 classes they are 0 to 1; give the number of classes that the data "
                "set has (data.classes), or train.loss = \"mse\" to predict numbers");
  put(kTestLabels, idx_bytes({2}, {1, 255}));
  EXPECT_THAT(refusal(),
              StartsWith(file(kTestLabels) + ": label 1 is 255, with 3 classes they are 0 to 2; "));
}

TEST_F(IdxFolder, HasTheClassesOfItsLabelsIfNobodySaysHowMany) {
  EXPECT_EQ(load(0).train.classes, 3);
  EXPECT_EQ(load(0).test.classes, 3);
  put(kTestLabels, idx_bytes({2}, {1, 3}));
  EXPECT_THAT(refusal(0), StartsWith(file(kTestLabels) + ": label 1 is 3, with 3 classes they are 0 to 2; "));
}

TEST_F(IdxFolder, MayHoldNumbersToPredict) {
  // 0.5 and -2 as float32
  put(kTrainLabels,
      joined({0, 0, 0x0d, 1, 0, 0, 0, 4}, {0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Split split = load_idx_folder(folder_.path(), {.is_number = true});
  EXPECT_EQ(split.train.labels, (std::vector<double>{0.5, -2, 0, 0}));
  EXPECT_EQ(split.train.classes, 0);
  EXPECT_EQ(split.train.outputs(), 1);
  EXPECT_THAT(refusal(), HasSubstr("label 0 is 0.5, and the number of a class is whole; "));
}

TEST_F(IdxFolder, WithMoreOrFewerLabelsThanImagesIsRefused) {
  put(kTrainLabels, idx_bytes({3}, {2, 0, 1}));
  EXPECT_EQ(refusal(), file(kTrainImages) + " holds 4 images, " + file(kTrainLabels) +
                           " holds 3 labels; take both files from the same data set");
}

TEST_F(IdxFolder, WithImagesAndLabelsMixedUpIsRefused) {
  put(kTrainLabels, idx_bytes({4, 2, 3}, counting(24)));
  EXPECT_THAT(refusal(), StartsWith(file(kTrainLabels) + ": the array has 3 dimensions, labels have 1; "));
  put(kTrainImages, idx_bytes({4}, counting(4)));
  EXPECT_THAT(refusal(),
              StartsWith(file(kTrainImages) + ": the array has 1 dimension, images need 2 to 4; "));
}

TEST_F(IdxFolder, WithTrainAndTestOfDifferentShapesIsRefused) {
  put(kTestImages, idx_bytes({2, 3, 2}, counting(12)));
  EXPECT_EQ(refusal(), "images of " + file(kTrainImages) + " are 1 × 2 × 3, those of " + file(kTestImages) +
                           " are 1 × 3 × 2; take both files from the same data set");
}

TEST_F(IdxFolder, OfOtherImagesIsNotFashionMnist) {
  EXPECT_EQ(
      refusal_of([&] { return load_fashion_mnist(folder_.path()); }),
      "images in " + folder_.path().string() +
          " are 1 × 2 × 3, those of Fashion-MNIST are 1 × 28 × 28; give the folder that holds Fashion-MNIST");
}

TEST(FashionMnist, IsReadFromDebiansFolder) {
  if (!std::filesystem::exists(kFashionMnistFolder)) {
    EXPECT_THAT(refusal_of([] { return load_fashion_mnist(); }),
                EndsWith("sudo apt-get install dataset-fashion-mnist"));
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const Split split = load_fashion_mnist();
  EXPECT_EQ(split.train.samples, 60'000);
  EXPECT_EQ(split.test.samples, 10'000);
  EXPECT_EQ(split.train.shape, (std::vector<std::int64_t>{1, 28, 28}));
  for (const Dataset* dataset : {&split.train, &split.test}) {
    std::vector<std::int64_t> counts(10);
    for (const double label : dataset->labels) ++counts[idx(label)];
    EXPECT_EQ(counts, std::vector<std::int64_t>(10, dataset->samples / 10));  // as its authors state
  }
}

}  // namespace
}  // namespace trireme::data
