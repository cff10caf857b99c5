#include <torch/torch.h>

#include "peer.h"

namespace rules_bench {
namespace {

// All work on the same parameter, as ours do, so that they take the same memory.
struct Parameter {
  explicit Parameter(std::int64_t count) : tensor(torch::full({count}, 0.5F).requires_grad_()) {
    tensor.mutable_grad() = torch::full({count}, 0.01F);
  }
  torch::Tensor tensor;
};

template <typename Optimizer, typename Options>
Peer peer(const std::string& rule, const Parameter& parameter, const Options& options) {
  auto optimizer = std::make_shared<Optimizer>(std::vector<torch::Tensor>{parameter.tensor}, options);
  return {rule, [optimizer] { optimizer->step(); }};
}

}  // namespace

std::vector<Peer> peers(std::int64_t count) {
  at::set_num_threads(1);
  constexpr double kRate = 1e-6;
  const Parameter parameter(count);
  using namespace torch::optim;
  return {peer<SGD>("sgd", parameter, SGDOptions(kRate)),
          peer<SGD>("momentum", parameter, SGDOptions(kRate).momentum(0.9)),
          peer<SGD>("nesterov", parameter, SGDOptions(kRate).momentum(0.9).nesterov(true)),
          peer<Adam>("adam", parameter, AdamOptions(kRate)),
          peer<AdamW>("adamw", parameter, AdamWOptions(kRate))};
}

std::string peer_version() { return "libtorch " TORCH_VERSION; }

}  // namespace rules_bench
