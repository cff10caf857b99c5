#include "trainer/models.h"

#include <functional>
#include <mutex>
#include <numeric>

#include "libtorch/module_tensors.h"
#include "train/sha256.h"

namespace trireme::trainer {
namespace {

using Shape = std::span<const std::int64_t>;

torch::nn::ReLU relu() { return torch::nn::ReLU(torch::nn::ReLUOptions(true)); }

torch::nn::Sequential make_mlp(const std::vector<std::int64_t>& hidden, Shape shape, std::int64_t outputs) {
  torch::nn::Sequential net(torch::nn::Flatten{});
  std::int64_t width = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  for (const std::int64_t next : hidden) {
    net->push_back(torch::nn::Linear(width, next));
    net->push_back(relu());
    width = next;
  }
  net->push_back(torch::nn::Linear(width, outputs));
  return net;
}

torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(from, to, 3).padding(1));
}

torch::nn::Sequential make_cnn(Shape shape, std::int64_t outputs) {
  constexpr std::int64_t kFirst = 32, kSecond = 64, kHidden = 128;
  const std::int64_t flat = kSecond * (shape[1] / 2 / 2) * (shape[2] / 2 / 2);
  return torch::nn::Sequential(convolution(shape[0], kFirst), relu(), torch::nn::MaxPool2d(2),
                               convolution(kFirst, kSecond), relu(), torch::nn::MaxPool2d(2),
                               torch::nn::Flatten(), torch::nn::Linear(flat, kHidden), relu(),
                               torch::nn::Linear(kHidden, outputs));
}

}  // namespace

torch::nn::Sequential make_model(const train::TrainConfig::Model& model, Shape shape, std::int64_t outputs,
                                 std::uint64_t seed) {
  // Threads share the generator.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  torch::manual_seed(seed);
  switch (model.kind) {
    case train::ModelKind::kLinear:
      return make_mlp({}, shape, outputs);
    case train::ModelKind::kMlp:
      return make_mlp(model.hidden, shape, outputs);
    case train::ModelKind::kCnn:
      break;
  }
  return make_cnn(shape, outputs);
}

std::string digest_of_weights(const torch::nn::Module& module) {
  train::Sha256 sha;
  for (const libtorch::NamedTensor& parameter : libtorch::parameters_of(module)) {
    const torch::Tensor numbers = parameter.tensor.detach().cpu().contiguous();
    sha.add({static_cast<const std::byte*>(numbers.data_ptr()), numbers.nbytes()});
  }
  return sha.finish();
}

}  // namespace trireme::trainer
