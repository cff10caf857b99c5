// Data sets in a folder of four idx files, with the names of the MNIST files: train-images-idx3-ubyte,
// train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each plain or with .gz
// appended. If both exist, the plain one is read. The elements may be of any type of idx files.
#pragma once

#include <string>

#include "data/byte_source.h"
#include "data/dataset.h"
#include "data/labels.h"

namespace trireme::data {

/// Images of h × w become samples of {1, h, w}; c × h × w become {c, h, w}; f become {f}. Plain files of
/// images are mapped. Throws `Error` (bad input) that names the file, if one is missing or invalid, if the
/// numbers of images and labels differ, if a label is wrong, or if the shapes of train and test differ.
[[nodiscard]] Split load_idx_folder(const std::string& folder, const LabelKind& labels);

/// The same without the values of the images: reads only the header and the length of their files. It finds
/// the same errors without reading the images, except damage in the middle of a file.
[[nodiscard]] Split look_at_idx_folder(const std::string& folder, const LabelKind& labels);

/// Fashion-MNIST: 28 × 28 pixels, 10 classes; 60,000 images to train and 10,000 to test.
[[nodiscard]] Split load_fashion_mnist(const std::string& folder = kFashionMnistFolder);

}  // namespace trireme::data
