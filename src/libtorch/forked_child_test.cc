// A worker whose process forks in the middle of its training: the child has copied everything and is nobody.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <trireme/torch.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "libtorch/nets_test_util.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

std::vector<torch::Tensor> averaged(World& world, bool forks) {
  torch::nn::Sequential net = net_of(0);
  auto exchange = std::make_unique<Exchange>(world, *net);
  loss_of(net, input_of(world.rank(), 2)).backward();
  const pid_t child = forks ? ::fork() : -1;
  if (child == 0) {
    exchange.reset();  // as the end of main does
    ::_exit(0);
  }
  int status = 0;
  if (forks) {
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  exchange->average();
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : net->parameters()) gradients.push_back(parameter.grad().clone());
  return gradients;
}

TEST(AForkedChild, DoesNotFinishForTheWorker) {
  std::string expected;
  on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
    const auto gradients = averaged(world, false);
    if (world.rank() == 0) expected = bytes_of(gradients);
  });
  on_workers(exec::Fabric::kShmThreads, 2,
             [&](World& world) { EXPECT_EQ(bytes_of(averaged(world, world.rank() == 1)), expected); });
}

}  // namespace
}  // namespace trireme::libtorch
