#include "rounds/round_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <random>

#include "exec/exchange_test_util.h"
#include "exec/fabrics_test_util.h"
#include "rounds/arrivals.h"

namespace trireme::rounds {
namespace {

constexpr std::array<Drive, 3> kDrives = {Drive::kAfter, Drive::kHooks, Drive::kThread};
constexpr Rank kNodes = 3;
constexpr std::size_t kBuckets = 4;

// One node's buckets: element i of bucket b is rank + b.
struct Node {
  explicit Node(wire::Wire& wire) : rank(wire.rank()) {
    for (std::size_t b = 0; b < kBuckets; ++b) {
      plan::PlanSpec spec;
      spec.strategy = plan::Strategy::kRing;
      spec.workers = wire.size();
      spec.parameters = 100 + static_cast<std::int64_t>(b);
      buckets.emplace_back(idx(spec.parameters));
      runners.push_back(std::make_unique<exec::Runner>(spec, exec::ElementType::kFloat32, wire));
      runners.back()->prepare(exec::in_time());
      items.push_back({runners.back().get(), std::as_writable_bytes(std::span(buckets.back()))});
    }
  }
  void fill(std::size_t b) {
    std::fill(buckets[b].begin(), buckets[b].end(), static_cast<float>(idx(rank) + b));
  }
  void expect_sums() const {
    for (std::size_t b = 0; b < kBuckets; ++b) {
      EXPECT_THAT(buckets[b], testing::Each(static_cast<float>(3 + kNodes * b)));
    }
  }

  Rank rank;
  std::vector<std::vector<float>> buckets;
  std::vector<std::unique_ptr<exec::Runner>> runners;
  std::vector<RoundDriver::Item> items;
};

class RoundDriverTest : public testing::TestWithParam<std::tuple<exec::Fabric, Drive>> {};

TEST_P(RoundDriverTest, ExchangesBucketsThatBecomeReadyInAnyOrder) {
  const auto [fabric, drive] = GetParam();
  exec::run_on(fabric, kNodes, [&, drive = drive](wire::Wire& wire) {
    Node node(wire);
    const auto driver = make_round_driver(drive, std::chrono::seconds(60));
    std::vector<std::size_t> order(kBuckets);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(static_cast<unsigned>(wire.rank()));
    for (int round = 0; round < 20; ++round) {
      driver->begin(node.items);
      Arrivals arrivals(0);
      arrivals.set_buckets(kBuckets);
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t b : order) {
        node.fill(b);
        arrivals.make_ready(b);
        if (round % 3 != 2) driver->open(arrivals.open());  // else `finish` does
      }
      driver->finish();
      node.expect_sums();
    }
  });
}

TEST_P(RoundDriverTest, HasNothingToDoWithoutBuckets) {
  const auto [fabric, drive] = GetParam();
  exec::run_on(fabric, kNodes, [&, drive = drive](wire::Wire&) {
    const auto driver = make_round_driver(drive, std::chrono::seconds(60));
    for (int round = 1; round <= 3; ++round) {
      driver->begin({});
      EXPECT_NO_THROW(driver->finish());
    }
  });
}

// A node gives up while its exchange waits for another that never begins.
TEST(RoundDriver, StopsInMidExchange) {
  for (const Drive drive : kDrives) {
    std::atomic<bool> stopped = false;
    exec::run_on(exec::Fabric::kThreads, 2, [&](wire::Wire& wire) {
      Node node(wire);
      if (wire.rank() == 1) return;
      const auto driver = make_round_driver(drive, std::chrono::hours(1));
      driver->begin(node.items);
      if (drive != Drive::kAfter) driver->open(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      driver->stop();
      stopped = true;
      Failure failure;
      failure.what = "given up";
      wire.leave(failure);
    });
    EXPECT_TRUE(stopped) << name(drive);
  }
}

TEST(RoundDriver, ThrowsWhatWentWrong) {
  for (const Drive drive : kDrives) {
    exec::run_on(exec::Fabric::kThreads, kNodes, [&](wire::Wire& wire) {
      Node node(wire);
      node.items[2].buffer = node.items[2].buffer.first(4);
      const auto driver = make_round_driver(drive, std::chrono::seconds(60));
      driver->begin(node.items);
      const Failure failure = exec::failure_of([&] { driver->finish(); });
      EXPECT_THAT(failure.what, testing::HasSubstr("the buffer has 4 bytes")) << name(drive);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, RoundDriverTest,
                         testing::Combine(testing::Values(exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                                          exec::Fabric::kTcpThreads),
                                          testing::ValuesIn(kDrives)),
                         [](const auto& param) {
                           return exec::name(std::get<0>(param.param)) + "_" +
                                  std::string(name(std::get<1>(param.param)));
                         });

}  // namespace
}  // namespace trireme::rounds
