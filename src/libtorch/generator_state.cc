#include "libtorch/generator_state.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace trireme::libtorch {

NamedTensor generator_state() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return {"cpu", generator.get_state()};
}

void set_generator_state(const torch::Tensor& bytes) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(bytes);
}

}  // namespace trireme::libtorch
