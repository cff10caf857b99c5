#include "data/idx_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "data/array_files.h"
#include "data/idx.h"

namespace trireme::data {
namespace {

bool is_there(const std::string& path) {
  std::error_code unknown;  // reading the file will report the reason
  return std::filesystem::exists(path, unknown) || unknown;
}

using ReadIdx = std::function<NumberArray(const std::string& path)>;

NumberArray read_whole(const std::string& path) { return read_idx(path); }

ArrayFile read_either(const std::string& folder, const std::string& name, const ReadIdx& read) {
  const std::string plain = std::filesystem::path(folder) / name;
  const std::string compressed = plain + ".gz";
  for (const std::string& path : {plain, compressed}) {
    if (is_there(path)) return {path, read(path)};
  }
  throw bad_input(fmt::format("there is neither {} nor {}.gz", plain, name), how_to_get(compressed));
}

struct Part {
  Dataset dataset;
  std::string path;  // of the images
};

Part load_part(const std::string& folder, const std::string& part, const LabelKind& kind,
               const ReadIdx& read_images) {
  const ArrayFile images = read_either(folder, part + "-images-idx3-ubyte", read_images);
  const ArrayFile labels = read_either(folder, part + "-labels-idx1-ubyte", read_whole);
  return {dataset_of(images, labels, kind, "image"), images.path};
}

Split load(const std::string& folder, const LabelKind& kind, const ReadIdx& read_images) {
  Part train = load_part(folder, "train", kind, read_images);
  const LabelKind settled_kind{.is_number = kind.is_number, .classes = train.dataset.classes};
  Part test = load_part(folder, "t10k", settled_kind, read_images);
  require_same_shape(train.dataset, train.path, test.dataset, test.path, "image");
  return {std::move(train.dataset), std::move(test.dataset)};
}

}  // namespace

Split load_idx_folder(const std::string& folder, const LabelKind& labels) {
  return load(folder, labels, read_whole);
}

Split look_at_idx_folder(const std::string& folder, const LabelKind& labels) {
  return load(folder, labels, look_at_idx);
}

Split load_fashion_mnist(const std::string& folder) {
  Split split = load_idx_folder(folder, {.classes = 10});
  const std::vector<std::int64_t> shape{1, 28, 28};
  if (split.train.shape != shape) {
    throw bad_input(fmt::format("images in {} are {}, those of Fashion-MNIST are {}", folder,
                                dimensions_in_words(split.train.shape), dimensions_in_words(shape)),
                    "give the folder that holds Fashion-MNIST");
  }
  return split;
}

}  // namespace trireme::data
