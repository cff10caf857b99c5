#include "data/array_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class NpyFiles : public testing::Test {
 protected:
  NpyFiles() {
    put("x.npy", npy_with(npy_dictionary("<f4", "(3, 2)"), std::vector<float>{0, 1, 2, 3, 4, 5}));
    put("y.npy", npy_with(npy_dictionary("<i8", "(3,)"), std::vector<std::int64_t>{1, 0, 3}));
  }

  void put(const std::string& name, const ByteString& bytes) const {
    (void)folder_.write(name, as_text(bytes));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] Split load(const LabelKind& kind = {}, bool with_test = false) const {
    NpyPaths paths{.samples = at("x.npy"), .labels = at("y.npy"), .test_samples = {}, .test_labels = {}};
    if (with_test) paths.test_samples = at("tx.npy"), paths.test_labels = at("ty.npy");
    return load_npy(paths, kind);
  }
  [[nodiscard]] std::string refusal(const LabelKind& kind = {}, bool with_test = false) const {
    return refusal_of([&] { return load(kind, with_test); });
  }

  ScratchFolder folder_;
};

TEST_F(NpyFiles, BecomeADataSet) {
  const Dataset train = load().train;
  EXPECT_EQ(train.samples, 3);
  EXPECT_EQ(train.shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(train.classes, 4);
  EXPECT_EQ(train.labels, (std::vector<double>{1, 0, 3}));
  EXPECT_EQ(load({.is_number = true}).train.classes, 0);
  EXPECT_EQ(load({.classes = 9}).train.classes, 9);
  EXPECT_EQ(load().test.samples, 0);
}

TEST_F(NpyFiles, MayHaveLabelsInOneColumn) {
  put("y.npy", npy_with(npy_dictionary("<f4", "(3, 1)"), std::vector<float>{1, 0, 2}));
  EXPECT_EQ(load().train.labels, (std::vector<double>{1, 0, 2}));
}

TEST_F(NpyFiles, OfDifferentNumbersAreRefused) {
  put("y.npy", npy_with(npy_dictionary("<i8", "(2,)"), std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(refusal(), at("x.npy") + " holds 3 samples, " + at("y.npy") +
                           " holds 2 labels; take both files from the same data set");
}

TEST_F(NpyFiles, WithLabelsThatAreNotClassesAreRefused) {
  EXPECT_THAT(refusal({.classes = 3}),
              HasSubstr("y.npy: label 2 is 3, with 3 classes they are 0 to 2; give "));
  const auto with = [&](float label) {
    put("y.npy", npy_with(npy_dictionary("<f4", "(3,)"), std::vector<float>{1, label, 0}));
    return refusal();
  };
  EXPECT_THAT(with(0.5), HasSubstr("y.npy: label 1 is 0.5, and the number of a class is whole; "));
  EXPECT_THAT(with(-1), HasSubstr("y.npy: label 1 is -1, numbers of classes are 0 to 999; "));
  EXPECT_THAT(with(1000), HasSubstr("y.npy: label 1 is 1000, numbers of classes are 0 to 999; "));
  EXPECT_THAT(with(NAN), HasSubstr("y.npy: label 1 is nan, and not a finite number; "));
}

TEST_F(NpyFiles, WithSamplesAndLabelsMixedUpAreRefused) {
  put("y.npy", npy_with(npy_dictionary("<f4", "(3, 2)"), std::vector<float>(6)));
  EXPECT_THAT(refusal(),
              EndsWith("y.npy: the array has 2 dimensions, labels have 1; check that it is not the "
                       "file of the samples"));
  put("x.npy", npy_with(npy_dictionary("<f4", "(3,)"), std::vector<float>(3)));
  EXPECT_THAT(refusal(),
              EndsWith("x.npy: the array has 1 dimension, samples need 2 to 4; check that it is not "
                       "the file of the labels"));
}

TEST_F(NpyFiles, ForTheTestHaveTheSameShapeAndClasses) {
  put("tx.npy", npy_with(npy_dictionary("<f8", "(1, 2)"), std::vector<double>{7, 8}));
  put("ty.npy", npy_with(npy_dictionary("<i8", "(1,)"), std::vector<std::int64_t>{2}));
  EXPECT_EQ(load({}, true).test.samples, 1);
  EXPECT_EQ(load({}, true).test.classes, 4);
  put("ty.npy", npy_with(npy_dictionary("<i8", "(1,)"), std::vector<std::int64_t>{4}));
  EXPECT_THAT(refusal({}, true), HasSubstr("ty.npy: label 0 is 4, with 4 classes they are 0 to 3; "));
  put("ty.npy", npy_with(npy_dictionary("<i8", "(1,)"), std::vector<std::int64_t>{2}));
  put("tx.npy", npy_with(npy_dictionary("<f8", "(1, 3)"), std::vector<double>{7, 8, 9}));
  EXPECT_THAT(refusal({}, true), HasSubstr("x.npy are 2, those of "));
}

TEST_F(NpyFiles, CutWhileTheyAreInUseAreRefused) {
  const Dataset train = load().train;
  std::vector<float> out(2);
  EXPECT_NO_THROW(gather_samples(train, std::vector<std::int64_t>{2}, out));
  std::filesystem::resize_file(at("x.npy"), 80);
  try {
    gather_samples(train, std::vector<std::int64_t>{2}, out);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kFailed);
    EXPECT_THAT(error.what(),
                HasSubstr("x.npy was cut while it was in use: it held 93 bytes, and now 80 bytes; "));
  }
}

TEST_F(NpyFiles, ReplacedWhileTheyAreInUseStayAsTheyWere) {
  const Dataset train = load().train;
  put("new", {1});
  std::filesystem::rename(at("new"), at("x.npy"));
  std::vector<float> out(2);
  gather_samples(train, std::vector<std::int64_t>{2}, out);
  EXPECT_EQ(train.normalization.scale, std::vector<double>{255});
  EXPECT_EQ(out, (std::vector<float>{4.0F / 255, 5.0F / 255}));
}

}  // namespace
}  // namespace trireme::data
