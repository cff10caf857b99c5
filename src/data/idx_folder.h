// Data sets that lie in a folder as four idx files, under the names that MNIST gave them:
// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each
// plain or with .gz behind its name. Where both are there the plain one is read.
#pragma once

#include <string>

#include "data/byte_source.h"
#include "data/dataset.h"

namespace trireme::data {

/// Images of h × w become samples of {1, h, w}; of c × h × w, {c, h, w}; of f, {f}. Throws `Error` (bad
/// input) that names the file, when one is not there or not right, when images and labels are not equally
/// many, when a label is not below `classes`, or when train and test differ in shape.
[[nodiscard]] Split load_idx_folder(const std::string& folder, std::int64_t classes);

/// The same without the values of the images, of whose files only the beginning and the length are looked at:
/// what is wrong with them is found without reading them, but for damage in the middle of one.
[[nodiscard]] Split look_at_idx_folder(const std::string& folder, std::int64_t classes);

/// Fashion-MNIST: 28 × 28 pixels, 10 classes; 60,000 images to train and 10,000 to test.
[[nodiscard]] Split load_fashion_mnist(const std::string& folder = kFashionMnistFolder);

}  // namespace trireme::data
