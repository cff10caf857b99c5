#include "data/idx_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "data/idx.h"

namespace trireme::data {
namespace {

// A file's path and content, because messages name both.
struct IdxFile {
  std::string path;
  IdxArray array;

  [[nodiscard]] std::int64_t count() const { return array.dimensions[0]; }
};

bool is_there(const std::string& path) {
  std::error_code unknown;  // reading the file will report the reason
  return std::filesystem::exists(path, unknown) || unknown;
}

using ReadIdx = std::function<IdxArray(const std::string& path)>;

IdxArray read_whole(const std::string& path) { return read_idx(path); }

IdxFile read_either(const std::string& folder, const std::string& name, const ReadIdx& read) {
  const std::string plain = std::filesystem::path(folder) / name;
  const std::string compressed = plain + ".gz";
  for (const std::string& path : {plain, compressed}) {
    if (is_there(path)) return {path, read(path)};
  }
  throw bad_input(fmt::format("there is neither {} nor {}.gz", plain, name), how_to_get(compressed));
}

// The shape of one sample, from the dimensions of the file.
std::vector<std::int64_t> shape_of(const IdxFile& images) {
  const std::vector<std::int64_t>& dimensions = images.array.dimensions;
  if (dimensions.size() < 2) {
    throw bad_input(fmt::format("{}: the array has 1 dimension, images need 2 to 4", images.path),
                    "check that it is not the file of the labels");
  }
  std::vector<std::int64_t> shape(dimensions.begin() + 1, dimensions.end());
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  return shape;
}

std::string class_count(std::int64_t classes) {
  return classes == 1 ? "1 class" : with_commas(classes) + " classes";
}

void check_labels(const IdxFile& labels, const IdxFile& images, std::int64_t classes) {
  if (labels.array.dimensions.size() != 1) {
    throw bad_input(fmt::format("{}: the array has {} dimensions, labels have 1", labels.path,
                                labels.array.dimensions.size()),
                    "check that it is not the file of the images");
  }
  if (labels.count() != images.count()) {
    throw bad_input(fmt::format("{} holds {}, {} holds {}", images.path, counted(images.count(), "image"),
                                labels.path, counted(labels.count(), "label")),
                    "take both files from the same data set");
  }
  for (std::int64_t i = 0; i < labels.count(); ++i) {
    if (labels.array.elements[idx(i)] < classes) continue;
    throw bad_input(fmt::format("{}: label {} is {}, with {} they are 0 to {}", labels.path, with_commas(i),
                                labels.array.elements[idx(i)], class_count(classes), classes - 1),
                    "give the number of classes that the data set has");
  }
}

// Also returns the path of the images.
std::pair<Dataset, std::string> load_part(const std::string& folder, const std::string& part,
                                          std::int64_t classes, const ReadIdx& read_images) {
  IdxFile images = read_either(folder, part + "-images-idx3-ubyte", read_images);
  std::vector<std::int64_t> shape = shape_of(images);
  const IdxFile labels = read_either(folder, part + "-labels-idx1-ubyte", read_whole);
  check_labels(labels, images, classes);
  return {Dataset{.samples = images.count(),
                  .shape = std::move(shape),
                  .classes = classes,
                  .values = std::move(images.array.elements),
                  .labels = {labels.array.elements.begin(), labels.array.elements.end()}},
          images.path};
}

Split load(const std::string& folder, std::int64_t classes, const ReadIdx& read_images) {
  if (classes < 1) {
    throw bad_input(fmt::format("a data set cannot have {} classes", classes), "give 1 or more");
  }
  auto [train, train_path] = load_part(folder, "train", classes, read_images);
  auto [test, test_path] = load_part(folder, "t10k", classes, read_images);
  if (train.shape != test.shape) {
    throw bad_input(fmt::format("images of {} are {}, those of {} are {}", train_path,
                                dimensions_in_words(train.shape), test_path, dimensions_in_words(test.shape)),
                    "take both files from the same data set");
  }
  return {std::move(train), std::move(test)};
}

}  // namespace

Split load_idx_folder(const std::string& folder, std::int64_t classes) {
  return load(folder, classes, read_whole);
}

Split look_at_idx_folder(const std::string& folder, std::int64_t classes) {
  return load(folder, classes, look_at_idx);
}

Split load_fashion_mnist(const std::string& folder) {
  Split split = load_idx_folder(folder, 10);
  const std::vector<std::int64_t> shape{1, 28, 28};
  if (split.train.shape != shape) {
    throw bad_input(fmt::format("images in {} are {}, those of Fashion-MNIST are {}", folder,
                                dimensions_in_words(split.train.shape), dimensions_in_words(shape)),
                    "give the folder that holds Fashion-MNIST");
  }
  return split;
}

}  // namespace trireme::data
