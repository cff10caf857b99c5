#include "job/model_shape.h"

#include <fmt/format.h>

#include "base/error.h"
#include "data/idx.h"

namespace trireme {
namespace {

constexpr std::int64_t kSmallestImage = 4;

}  // namespace

void require_fit(const TrainConfig::Model& model, std::span<const std::int64_t> shape) {
  if (model.kind != ModelKind::kCnn) return;
  if (shape.size() == 3 && shape[1] >= kSmallestImage && shape[2] >= kSmallestImage) return;
  throw bad_input(
      fmt::format("the model cnn takes images of channels × height × width, of at least {0} × {0} "
                  "pixels, and a sample here is {1}",
                  kSmallestImage, dimensions_in_words(shape)),
      "take the model mlp or linear, or other data");
}

}  // namespace trireme
