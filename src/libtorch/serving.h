// The part of a rank that is a server.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

namespace trireme::libtorch {

/// *Together* with the workers' making of an Exchange of the same module and options. Serves until all
/// workers have finished.
void serve(Group& group, torch::nn::Module& module, const ExchangeOptions& options);

}  // namespace trireme::libtorch
