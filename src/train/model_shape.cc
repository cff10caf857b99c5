#include "train/model_shape.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "data/numbers.h"

namespace trireme::train {
namespace {

constexpr std::int64_t kSmallestImage = 4;

// A layer of a sequence, by its number there: a weight, whose first size is the number of outputs, and a
// bias.
void add_layer(std::vector<ModelTensor>& tensors, int layer, const std::vector<std::int64_t>& sizes) {
  tensors.push_back({fmt::format("{}.weight", layer), sizes});
  tensors.push_back({fmt::format("{}.bias", layer), {sizes.front()}});
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// As trainer/models.cc makes them.
std::vector<ModelTensor> tensors_of_mlp(std::int64_t inputs, const std::vector<std::int64_t>& widths) {
  std::vector<ModelTensor> tensors;
  int layer = 1;  // after one that makes samples flat
  for (const std::int64_t width : widths) {
    add_layer(tensors, layer, {width, inputs});
    inputs = width;
    layer += 2;  // there is a relu between two
  }
  return tensors;
}

std::vector<ModelTensor> tensors_of_cnn(std::span<const std::int64_t> shape, std::int64_t outputs) {
  constexpr std::int64_t kSide = 3, kFirst = 32, kSecond = 64, kHidden = 128;
  std::vector<ModelTensor> tensors;
  add_layer(tensors, 0, {kFirst, shape[0], kSide, kSide});
  add_layer(tensors, 3, {kSecond, kFirst, kSide, kSide});
  add_layer(tensors, 7, {kHidden, kSecond * (shape[1] / 2 / 2) * (shape[2] / 2 / 2)});
  add_layer(tensors, 9, {outputs, kHidden});
  return tensors;
}

}  // namespace

void require_fit(const TrainConfig::Model& model, std::span<const std::int64_t> shape) {
  if (model.kind != ModelKind::kCnn) return;
  if (shape.size() == 3 && shape[1] >= kSmallestImage && shape[2] >= kSmallestImage) return;
  throw bad_input(
      fmt::format("the model cnn takes images of channels × height × width, of at least {0} × {0} "
                  "pixels, and a sample here is {1}",
                  kSmallestImage, data::dimensions_in_words(shape)),
      "take the model mlp or linear, or other data");
}

std::vector<ModelTensor> tensors_of(const TrainConfig::Model& model, std::span<const std::int64_t> shape,
                                    std::int64_t outputs) {
  if (model.kind == ModelKind::kCnn) return tensors_of_cnn(shape, outputs);
  std::vector<std::int64_t> widths;
  if (model.kind == ModelKind::kMlp) widths = model.hidden;
  widths.push_back(outputs);
  return tensors_of_mlp(product(shape), widths);
}

std::int64_t parameters_of(const TrainConfig::Model& model, std::span<const std::int64_t> shape,
                           std::int64_t outputs) {
  std::int64_t count = 0;
  for (const ModelTensor& tensor : tensors_of(model, shape, outputs)) count += product(tensor.sizes);
  return count;
}

}  // namespace trireme::train
