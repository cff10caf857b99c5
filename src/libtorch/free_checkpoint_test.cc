// Checkpoints of own programs in modes other than sync. All gradients are the same, so that a number of
// updates says all about the weights, whoever they are of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/checkpoint.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>

#include "base/system/scratch_folder_test_util.h"
#include "checkpoint/saved.h"
#include "libtorch/free_test_util.h"
#include "libtorch/nets_test_util.h"

namespace trireme::libtorch {
namespace free_checkpoint {

struct Training {
  Rank workers = 3;
  ExchangeOptions options = freely("async", 2);
};

// Each worker takes one step, and all meet: 3 updates in async and ssp, a round in backup:1.
void step_together(Exchange& exchange, Slope& net) {
  net.backward(1);
  exchange.step(default_rule(RuleKind::kAdam));
  std::array<double, 1> none{0};
  exchange.sum(none);
}

// The weights after so many phases in all; with a folder it goes on there and saves every second one.
std::string trained(const Training& training, std::int64_t phases, const std::filesystem::path& folder = {}) {
  std::string weights;
  train_freely<Slope>(exec::Fabric::kShmThreads, training.workers, training.options,
                      [&](World& world, Exchange& exchange, Slope& net) {
                        Checkpoint checkpoint(exchange, folder.string());
                        const bool saves = !folder.empty();
                        for (std::int64_t phase = saves ? checkpoint.load() + 1 : 1; phase <= phases;
                             ++phase) {
                          step_together(exchange, net);
                          if (saves && phase % 2 == 0) checkpoint.save(phase);
                        }
                        exchange.finish();
                        if (world.rank() == 0) weights = bytes_of(net.parameters());
                      });
  return weights;
}

TEST(AFreeCheckpoint, BringsBackTheStateOfServers) {
  for (const char* mode : {"async", "ssp:2", "backup:1"}) {
    for (const Rank servers : {1, 2}) {
      const ScratchFolder folder;
      const Training training{.options = freely(mode, servers)};
      const std::string expected = trained(training, 6);
      EXPECT_NE(trained(training, 5), expected);
      static_cast<void>(trained(training, 3, folder.path()));
      EXPECT_EQ(trained(training, 6, folder.path()), expected) << mode << " with " << servers;
    }
  }
}

// 3 × 4 updates, and then 2 × 2.
TEST(AFreeCheckpoint, IsForAnotherNumberOfWorkersAndServersToo) {
  const ScratchFolder folder;
  static_cast<void>(trained({}, 4, folder.path()));
  const Training other{.workers = 2, .options = freely("ssp:1", 1)};
  EXPECT_EQ(trained(other, 6, folder.path()), trained(other, 8));
}

TEST(AFreeCheckpoint, IsForModeSyncTooAndBack) {
  const ScratchFolder folder;
  const Training sync{.options = freely("sync", 1)};
  static_cast<void>(trained({}, 2, folder.path()));    // 6 updates
  static_cast<void>(trained(sync, 4, folder.path()));  // 2 of the average, which is the same
  const Training one{.workers = 1};
  EXPECT_EQ(trained({}, 6, folder.path()), trained(one, 6 + 2 + 6));
}

std::map<std::string, double> numbers_in(const std::filesystem::path& folder, std::int64_t step) {
  return checkpoint::Saved::open(folder / "checkpoints" / ("step-" + std::to_string(step))).state().numbers;
}

TEST(AFreeCheckpoint, CountsOnFromItsVersionsAndSequences) {
  const ScratchFolder folder;
  static_cast<void>(trained({}, 2, folder.path()));
  static_cast<void>(trained({}, 4, folder.path()));
  const auto numbers = numbers_in(folder.path(), 4);
  for (const char* server : {"version.0", "version.1"}) EXPECT_EQ(numbers.at(server), 4 * 3) << server;
  for (const char* worker : {"sequence.0", "sequence.1", "sequence.2"})
    EXPECT_EQ(numbers.at(worker), 4) << worker;
}

TEST(AFreeCheckpoint, OfAnotherNumberOfWorkersCountsAnew) {
  const ScratchFolder folder;
  static_cast<void>(trained({}, 2, folder.path()));
  static_cast<void>(trained({.workers = 2}, 4, folder.path()));
  const auto numbers = numbers_in(folder.path(), 4);
  EXPECT_EQ(numbers.at("version.0"), 2 * 2);
  EXPECT_EQ(numbers.at("sequence.1"), 2);
  EXPECT_FALSE(numbers.contains("sequence.2"));
}

// Steps have no notes about it.
TEST(AFreeCheckpoint, IsCompleteBeforeTheNextStep) {
  const ScratchFolder folder;
  train_freely<Slope>(exec::Fabric::kShmThreads, 2, freely("async"),
                      [&](World& world, Exchange& exchange, Slope& net) {
                        Checkpoint checkpoint(exchange, folder.path().string());
                        step_together(exchange, net);
                        checkpoint.save(1);
                        if (world.rank() == 0) {
                          EXPECT_TRUE(std::filesystem::exists(folder.path() / "checkpoints/step-1/DONE"));
                        }
                      });
}

struct WithMean : Slope {
  WithMean() { mean = register_buffer("mean", torch::zeros({2})); }
  torch::Tensor mean;
};

TEST(AFreeCheckpoint, KeepsTheBuffersOfEachWorker) {
  const ScratchFolder folder;
  for (const bool is_first : {true, false}) {
    train_freely<WithMean>(exec::Fabric::kShmThreads, 2, freely("async"),
                           [&](World& world, Exchange& exchange, WithMean& net) {
                             Checkpoint checkpoint(exchange, folder.path().string());
                             if (is_first) {
                               net.mean.fill_(7 + world.rank());
                               checkpoint.save(1);
                             } else {
                               EXPECT_EQ(checkpoint.load(), 1);
                               EXPECT_EQ(net.mean[0].item<int>(), 7 + world.rank());
                             }
                           });
  }
}

// What a program has seen of servers is of the version that it loads.
TEST(AFreeCheckpoint, CanBeLoadedInTheMiddle) {
  const ScratchFolder folder;
  train_freely<Slope>(exec::Fabric::kShmThreads, 2, freely("async", 2),
                      [&](World&, Exchange& exchange, Slope& net) {
                        Checkpoint checkpoint(exchange, folder.path().string());
                        step_together(exchange, net);
                        checkpoint.save(1);
                        step_together(exchange, net);
                        const std::string two = bytes_of(net.parameters());
                        step_together(exchange, net);
                        EXPECT_EQ(checkpoint.load(), 1);
                        EXPECT_NE(bytes_of(net.parameters()), two);
                        step_together(exchange, net);
                        EXPECT_EQ(bytes_of(net.parameters()), two);
                      });
}

}  // namespace free_checkpoint
}  // namespace trireme::libtorch
