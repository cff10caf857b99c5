// Tells when backward has put a gradient into its place. The one file that knows how libtorch says so.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace trireme::libtorch {

/// While it lives, it calls `arrived(i)` for parameter i whenever a backward has added to its gradient, once
/// per backward, on the thread that runs it. An exception in `arrived` leaves backward. A parameter may be
/// frozen now and trained later.
class BackwardHooks {
 public:
  BackwardHooks(const std::vector<torch::Tensor>& parameters, std::function<void(std::size_t)> arrived);
  ~BackwardHooks();
  BackwardHooks(const BackwardHooks&) = delete;
  BackwardHooks& operator=(const BackwardHooks&) = delete;

 private:
  struct Hooked {
    std::shared_ptr<torch::autograd::Node> accumulator;  // which its parameter does not keep by itself
    std::uintptr_t key = 0;
  };

  std::function<void(std::size_t)> arrived_;
  std::vector<Hooked> hooked_;
};

}  // namespace trireme::libtorch
