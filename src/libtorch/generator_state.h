// The state of libtorch's random generator for the CPU, from which dropout draws.
#pragma once

#include "libtorch/module_tensors.h"

namespace trireme::libtorch {

/// Bytes under the name "cpu".
[[nodiscard]] NamedTensor generator_state();
void set_generator_state(const torch::Tensor& bytes);

/// Beside it lie the buffers of a worker that has its own, with this before their names.
inline constexpr const char* kOwnBuffer = "buffer/";

}  // namespace trireme::libtorch
