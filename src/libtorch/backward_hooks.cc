#include "libtorch/backward_hooks.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace trireme::libtorch {
namespace {

using torch::autograd::variable_list;

class Hook final : public torch::autograd::FunctionPostHook {
 public:
  Hook(const std::function<void(std::size_t)>& arrived, std::size_t parameter)
      : arrived_(arrived), parameter_(parameter) {}
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    arrived_(parameter_);
    return outputs;
  }

 private:
  const std::function<void(std::size_t)>& arrived_;
  std::size_t parameter_;
};

// libtorch has an accumulator for each parameter that requires a gradient, and keeps it while somebody holds
// it.
std::shared_ptr<torch::autograd::Node> accumulator_of(const torch::Tensor& parameter) {
  const bool is_trained = parameter.requires_grad();
  parameter.set_requires_grad(true);
  std::shared_ptr<torch::autograd::Node> accumulator = torch::autograd::impl::grad_accumulator(parameter);
  parameter.set_requires_grad(is_trained);
  return accumulator;
}

}  // namespace

BackwardHooks::BackwardHooks(const std::vector<torch::Tensor>& parameters,
                             std::function<void(std::size_t)> arrived)
    : arrived_(std::move(arrived)) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // An integer can never be trained.
    if (!torch::autograd::isDifferentiableType(parameters[i].scalar_type())) continue;
    Hooked hooked{accumulator_of(parameters[i])};
    hooked.key = hooked.accumulator->add_post_hook(std::make_unique<Hook>(arrived_, i));
    hooked_.push_back(std::move(hooked));
  }
}

BackwardHooks::~BackwardHooks() {
  for (const Hooked& hooked : hooked_) hooked.accumulator->del_post_hook(hooked.key);
}

}  // namespace trireme::libtorch
