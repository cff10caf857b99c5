#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

using testing::ElementsAreArray;
using Batches = std::vector<std::vector<std::size_t>>;

Batches rest_of_pass(ShardedSampler& sampler, std::size_t batch) {
  Batches batches;
  while (const auto next = sampler.next(batch)) batches.push_back(*next);
  return batches;
}

// One pass of each worker.
std::vector<Batches> pass(std::size_t samples, Rank workers, std::size_t batch, std::size_t epoch) {
  std::vector<Batches> all(idx(workers));
  on_workers(exec::Fabric::kThreads, workers, [&](World& world) {
    ShardedSampler sampler(samples, world, 7);
    sampler.set_epoch(epoch);
    sampler.reset({});
    all[idx(world.rank())] = rest_of_pass(sampler, batch);
  });
  return all;
}

std::vector<std::size_t> joined(const std::vector<Batches>& workers) {
  std::vector<std::size_t> all;
  for (std::size_t t = 0; t < workers[0].size(); ++t) {
    for (const Batches& batches : workers) all.insert(all.end(), batches[t].begin(), batches[t].end());
  }
  return all;
}

TEST(ShardedSampler, LetsManyWorkersSeeWhatOneSees) {
  const std::vector<std::size_t> alone = joined(pass(50, 1, 12, 3));
  EXPECT_THAT(joined(pass(50, 3, 4, 3)), ElementsAreArray(std::span(alone).first(48)));
  EXPECT_NE(joined(pass(50, 1, 12, 4)), alone);
}

TEST(ShardedSampler, GivesAllWorkersTheSameNumberOfBatches) {
  for (const std::size_t samples : {12U, 13U, 14U, 15U, 23U}) {
    const std::vector<Batches> workers = pass(samples, 3, 2, 0);
    for (const Batches& batches : workers) EXPECT_EQ(batches.size(), workers[0].size()) << samples;
    const std::size_t rest = samples % 6;
    EXPECT_EQ(joined(workers).size(), samples - (rest < 3 ? rest : 0));
  }
}

TEST(ShardedSampler, HearsOfAnEpochThoughTheLoaderHasACopy) {
  on_workers(exec::Fabric::kThreads, 1, [](World& world) {
    const auto data = torch::arange(10, torch::kFloat32);
    ShardedSampler sampler(10, world, 1);
    auto loader =
        torch::data::make_data_loader(torch::data::datasets::TensorDataset(data).map(
                                          torch::data::transforms::Stack<torch::data::TensorExample>()),
                                      sampler, 5);
    const auto seen = [&] {
      std::vector<float> numbers;
      for (auto& batch : *loader) {
        for (std::int64_t i = 0; i < batch.data.numel(); ++i) numbers.push_back(batch.data[i].item<float>());
      }
      return numbers;
    };
    sampler.set_epoch(2);
    const std::vector<float> second = seen();
    EXPECT_EQ(second.size(), 10U);
    const std::vector<float> third = seen();  // the epoch after
    EXPECT_NE(second, third);
    sampler.set_epoch(2);
    EXPECT_EQ(seen(), second);
    EXPECT_EQ(seen(), third);
  });
}

TEST(ShardedSampler, GoesOnWhereItWasSaved) {
  on_workers(exec::Fabric::kThreads, 2, [](World& world) {
    ShardedSampler sampler(40, world, 1);
    sampler.set_epoch(5);
    static_cast<void>(sampler.next(4));
    std::stringstream file;
    torch::serialize::OutputArchive written;
    sampler.save(written);
    written.save_to(file);
    const Batches expected = rest_of_pass(sampler, 4);

    ShardedSampler restored(40, world, 1);
    torch::serialize::InputArchive read;
    read.load_from(file);
    restored.load(read);
    EXPECT_EQ(rest_of_pass(restored, 4), expected);
    EXPECT_EQ(expected.size(), 4U);
  });
}

// The loader resets the sampler when a pass begins.
TEST(ShardedSampler, GoesOnWhereItWasSavedThroughALoader) {
  on_workers(exec::Fabric::kThreads, 1, [](World& world) {
    const auto loader_of = [](const ShardedSampler& sampler) {
      return torch::data::make_data_loader(
          torch::data::datasets::TensorDataset(torch::arange(20, torch::kFloat32))
              .map(torch::data::transforms::Stack<torch::data::TensorExample>()),
          sampler, 4);
    };
    const auto numbers = [](const torch::Tensor& data) {
      return std::vector<float>(data.data_ptr<float>(), data.data_ptr<float>() + data.numel());
    };
    const auto pass = [&](auto& loader) {
      std::vector<std::vector<float>> batches;
      for (auto& batch : *loader) batches.push_back(numbers(batch.data));
      return batches;
    };
    ShardedSampler whole(20, world, 1);
    auto uninterrupted = loader_of(whole);
    std::vector<std::vector<float>> expected;
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (const std::vector<float>& batch : pass(uninterrupted)) expected.push_back(batch);
    }
    for (std::size_t taken = 0; taken <= 10; ++taken) {
      ShardedSampler first(20, world, 1);
      auto interrupted = loader_of(first);
      std::vector<std::vector<float>> seen;
      while (seen.size() < taken) {
        for (auto& batch : *interrupted) {
          seen.push_back(numbers(batch.data));
          if (seen.size() == taken) break;
        }
      }
      torch::serialize::OutputArchive written;
      first.save(written);
      std::stringstream file;
      written.save_to(file);
      torch::serialize::InputArchive read;
      read.load_from(file);
      ShardedSampler second(20, world, 1);
      second.load(read);
      auto resumed = loader_of(second);
      while (seen.size() < expected.size()) {
        for (const std::vector<float>& batch : pass(resumed)) seen.push_back(batch);
      }
      EXPECT_EQ(seen, expected) << taken;
    }
  });
}

TEST(ShardedSampler, RefusesBatchesThatAreTooLargeOrChange) {
  on_workers(exec::Fabric::kThreads, 2, [](World& world) {
    ShardedSampler sampler(10, world, 1);
    EXPECT_THROW(static_cast<void>(sampler.next(6)), Error);
    static_cast<void>(sampler.next(2));
    EXPECT_THROW(static_cast<void>(sampler.next(3)), Error);
  });
}

}  // namespace
}  // namespace trireme::libtorch
