// Averages and an optimizer of libtorch give the bits of PyTorch's DistributedDataParallel over Gloo, step
// for step: tests/reference/ddp_reference.py is the same program in Python.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <trireme/torch.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libtorch/nets_test_util.h"
#include "libtorch/worlds_test_util.h"
#include "train/compute_threads.h"

namespace trireme::libtorch {
namespace {

constexpr int kSteps = 400;
constexpr std::int64_t kBatch = 8;

using MakeOptimizer =
    std::function<std::unique_ptr<torch::optim::Optimizer>(const std::vector<torch::Tensor>&)>;

// Exactly the same in both languages.
torch::Tensor numbers(at::IntArrayRef shape, std::int64_t factor, std::int64_t offset, std::int64_t modulus,
                      std::int64_t divisor) {
  const torch::Tensor counted = torch::arange(c10::multiply_integers(shape), torch::kInt64);
  const torch::Tensor integers = (counted * factor + offset).remainder(modulus) - modulus / 2;
  return integers.to(torch::kFloat32).div(divisor).reshape(shape);
}

torch::nn::Sequential make_net() {
  torch::nn::Sequential net(torch::nn::Linear(20, 16), torch::nn::ReLU(), torch::nn::Linear(16, 8),
                            torch::nn::ReLU(), torch::nn::Linear(8, 4));
  const torch::NoGradGuard no_grad;
  std::int64_t number = 0;
  for (torch::Tensor& parameter : net->parameters()) {
    parameter.copy_(numbers(parameter.sizes(), 7, 3 * number++, 31, 64));
  }
  return net;
}

// The weights of rank 0 after all steps.
std::string trained(const MakeOptimizer& make_optimizer) {
  std::string weights;
  on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
    torch::nn::Sequential net = make_net();
    Exchange exchange(world, *net, {.bucket_bytes = 256});
    const std::unique_ptr<torch::optim::Optimizer> optimizer = make_optimizer(net->parameters());
    for (int step = 0; step < kSteps; ++step) {
      const torch::Tensor input = numbers({kBatch, 20}, 5, 11 * step + 17 * world.rank(), 29, 16);
      const torch::Tensor labels = (torch::arange(kBatch) + step + world.rank()).remainder(4);
      optimizer->zero_grad();
      torch::nn::functional::cross_entropy(net->forward(input), labels).backward();
      exchange.average();
      optimizer->step();
    }
    if (world.rank() == 0) weights = weights_of(net);
  });
  return weights;
}

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) / 16];
    text += kDigits[static_cast<unsigned char>(byte) % 16];
  }
  return text;
}

struct Printed {
  std::string text;
  int exit_code = 0;
};

Printed run_reference() {
  const std::string command =
      "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 tests/reference/ddp_reference.py " +
      std::to_string(kSteps);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", 1};
  Printed printed;
  std::vector<char> piece(4096);
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), pipe)) {
    printed.text.append(piece.data(), count);
  }
  const int status = pclose(pipe);
  printed.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return printed;
}

TEST(Ddp, GivesTheSameBitsAfter400StepsOfMomentumAndOfAdam) {
  const Printed expected = run_reference();
  if (expected.exit_code == 77 || expected.exit_code == 127) GTEST_SKIP() << "there is no PyTorch here";
  ASSERT_EQ(expected.exit_code, 0);
  torch::set_num_threads(1);
  train::set_openblas_threads(1);
  const std::string by_momentum = trained([](const std::vector<torch::Tensor>& parameters) {
    return std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(0.05).momentum(0.9));
  });
  const std::string by_adam = trained([](const std::vector<torch::Tensor>& parameters) {
    return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(0.01));
  });
  EXPECT_EQ(hexadecimal(by_momentum) + '\n' + hexadecimal(by_adam) + '\n', expected.text);
}

}  // namespace
}  // namespace trireme::libtorch
