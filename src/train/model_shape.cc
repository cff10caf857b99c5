#include "train/model_shape.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "data/idx.h"

namespace trireme::train {
namespace {

constexpr std::int64_t kSmallestImage = 4;

// Each layer has a bias.
std::int64_t parameters_of_mlp(std::int64_t inputs, const std::vector<std::int64_t>& widths) {
  std::int64_t count = 0;
  for (const std::int64_t width : widths) {
    count += (inputs + 1) * width;
    inputs = width;
  }
  return count;
}

// As trainer/models.cc makes it.
std::int64_t parameters_of_cnn(std::span<const std::int64_t> shape, std::int64_t classes) {
  constexpr std::int64_t kKernel = 9, kFirst = 32, kSecond = 64, kHidden = 128;
  const std::int64_t flat = kSecond * (shape[1] / 2 / 2) * (shape[2] / 2 / 2);
  return (shape[0] * kKernel + 1) * kFirst + (kFirst * kKernel + 1) * kSecond +
         parameters_of_mlp(flat, {kHidden, classes});
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

std::int64_t parameters_of(const TrainConfig::Model& model, std::span<const std::int64_t> shape,
                           std::int64_t classes) {
  if (model.kind == ModelKind::kCnn) return parameters_of_cnn(shape, classes);
  std::vector<std::int64_t> widths;
  if (model.kind == ModelKind::kMlp) widths = model.hidden;
  widths.push_back(classes);
  return parameters_of_mlp(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()),
                           widths);
}

}  // namespace trireme::train
