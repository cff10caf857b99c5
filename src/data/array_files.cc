#include "data/array_files.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "data/npy.h"

namespace trireme::data {
namespace {

std::vector<std::int64_t> shape_of(const ArrayFile& samples, std::string_view noun) {
  const std::vector<std::int64_t>& dimensions = samples.array.dimensions;
  if (dimensions.size() < 2) {
    throw bad_input(fmt::format("{}: the array has 1 dimension, {}s need 2 to 4", samples.path, noun),
                    "check that it is not the file of the labels");
  }
  std::vector<std::int64_t> shape(dimensions.begin() + 1, dimensions.end());
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  return shape;
}

std::vector<double> labels_of(const ArrayFile& labels, const ArrayFile& samples, const LabelKind& kind,
                              std::string_view noun) {
  const std::vector<std::int64_t>& dimensions = labels.array.dimensions;
  if (dimensions.size() != 1 && (dimensions.size() != 2 || dimensions[1] != 1)) {
    throw bad_input(
        fmt::format("{}: the array has {} dimensions, labels have 1", labels.path, dimensions.size()),
        fmt::format("check that it is not the file of the {}s", noun));
  }
  if (labels.count() != samples.count()) {
    throw bad_input(fmt::format("{} holds {}, {} holds {}", samples.path, counted(samples.count(), noun),
                                labels.path, counted(labels.count(), "label")),
                    "take both files from the same data set");
  }
  std::vector<double> numbers(idx(labels.count()));
  labels.array.elements.read(0, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string trouble = trouble_of_label(numbers[i], kind);
    if (trouble.empty()) continue;
    throw bad_input(
        fmt::format("{}: label {} {}", labels.path, with_commas(static_cast<std::int64_t>(i)), trouble),
        kGiveClasses);
  }
  return numbers;
}

}  // namespace

Dataset dataset_of(const ArrayFile& samples, const ArrayFile& labels, const LabelKind& kind,
                   std::string_view noun) {
  std::vector<std::int64_t> shape = shape_of(samples, noun);
  std::vector<double> numbers = labels_of(labels, samples, kind, noun);
  const std::int64_t classes = settled(kind, numbers).classes;
  return Dataset{.samples = samples.count(),
                 .shape = std::move(shape),
                 .classes = classes,
                 .values = samples.array.elements,
                 .labels = std::move(numbers)};
}

void require_same_shape(const Dataset& train, const std::string& train_path, const Dataset& test,
                        const std::string& test_path, std::string_view noun) {
  if (train.shape == test.shape) return;
  throw bad_input(fmt::format("{0}s of {1} are {2}, those of {3} are {4}", noun, train_path,
                              dimensions_in_words(train.shape), test_path, dimensions_in_words(test.shape)),
                  "take both files from the same data set");
}

Split load_npy(const NpyPaths& paths, const LabelKind& kind) {
  const ArrayFile samples{paths.samples, read_npy(paths.samples)};
  Split split;
  split.train = dataset_of(samples, {paths.labels, read_npy(paths.labels)}, kind, "sample");
  if (paths.test_samples.empty()) return split;
  const LabelKind settled_kind{.is_number = kind.is_number, .classes = split.train.classes};
  const ArrayFile test{paths.test_samples, read_npy(paths.test_samples)};
  split.test = dataset_of(test, {paths.test_labels, read_npy(paths.test_labels)}, settled_kind, "sample");
  require_same_shape(split.train, paths.samples, split.test, paths.test_samples, "sample");
  return split;
}

}  // namespace trireme::data
