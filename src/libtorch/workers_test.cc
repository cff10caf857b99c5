// Workers and servers as groups: what workers do by themselves while their servers follow rounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/world_test_util.h"
#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr exec::Fabric kFabrics[] = {exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                     exec::Fabric::kTcpThreads};
constexpr std::size_t kSamples = 12;

ExchangeOptions by_servers(Rank servers) {
  return {.strategy = "parameter-server", .servers = servers, .bucket_bytes = 64};
}

void take_step(torch::nn::Sequential& net, Exchange& exchange, Rank rank) {
  loss_of(net, input_of(rank)).backward();
  exchange.step(default_rule(RuleKind::kMomentum));
}

std::string refusal(Group& group) {
  std::vector<float> numbers(3);
  return thrown_by([&] { group.sum(numbers); });
}

// Every sample belongs to one worker.
void expect_all_samples(Group& workers) {
  std::array<std::int32_t, kSamples> seen{};
  const auto batch = kSamples / static_cast<std::size_t>(workers.size());
  const auto own = ShardedSampler(kSamples, workers, 1).next(batch);
  for (const std::size_t sample : *own) seen[sample] = 1;
  workers.sum(seen);
  EXPECT_TRUE(std::ranges::all_of(seen, [](std::int32_t count) { return count == 1; }));
}

TEST(Workers, AreAGroupBesidesTheirServers) {
  for (const exec::Fabric fabric : kFabrics) {
    on_workers(fabric, 5, [&](World& world) {
      torch::nn::Sequential net = net_of(world.rank());
      if (world.rank() >= 3) return serve(world, *net, by_servers(2));
      Exchange exchange(world, *net, by_servers(2));
      Group& workers = exchange.workers();
      EXPECT_EQ(workers.size(), 3);
      EXPECT_EQ(workers.rank(), world.rank());
      for (int step = 0; step < 3; ++step) {
        take_step(net, exchange, world.rank());
        std::vector<std::int64_t> ranks{std::int64_t{1} << world.rank()};
        workers.sum(ranks);
        EXPECT_EQ(ranks[0], 0b111) << exec::name(fabric);
        workers.barrier();
      }
      expect_all_samples(workers);
      exchange.finish();
      workers.barrier();
    });
  }
}

TEST(Workers, AreTheWholeGroupWithoutServers) {
  on_workers(exec::Fabric::kThreads, 2, [](World& world) {
    torch::nn::Sequential net = net_of(0);
    Exchange exchange(world, *net, by_servers(0));
    EXPECT_EQ(&exchange.workers(), &world);
    expect_all_samples(exchange.workers());
  });
}

TEST(Workers, MayBeSplitAndTrainASecondModule) {
  on_workers(exec::Fabric::kShmThreads, 3, [](World& world) {
    torch::nn::Sequential net = net_of(0);
    if (world.rank() == 2) return serve(world, *net, by_servers(1));
    Exchange exchange(world, *net, by_servers(1));
    Group alone = exchange.workers().split(world.rank());
    EXPECT_EQ(alone.size(), 1);
    torch::nn::Sequential second = net_of(world.rank());
    Exchange among_workers(exchange.workers(), *second, {.strategy = "ring"});
    EXPECT_EQ(bytes_of(second->parameters()), bytes_of(net_of(0)->parameters()));
    loss_of(second, input_of(world.rank())).backward();
    among_workers.average();
    take_step(net, exchange, world.rank());
  });
}

TEST(AGroupWithServers, KeepsItsSizeAndRefusesWhatTheyDoNotFollow) {
  on_workers(exec::Fabric::kThreads, 5, [](World& world) {
    Group part = world.split(world.rank() < 4 ? std::optional<std::int64_t>(0) : std::nullopt);
    const Group pair = world.split(world.rank() / 2);
    if (part.empty()) return;
    torch::nn::Sequential net = net_of(0);
    if (part.rank() == 3) return serve(part, *net, by_servers(1));
    Exchange exchange(part, *net, by_servers(1));
    EXPECT_EQ(world.size(), 5);
    EXPECT_EQ(part.size(), 4);
    const auto says_why = AllOf(HasSubstr(" in a group with 1 server, "), HasSubstr("exchange.workers()"));
    EXPECT_THAT(refusal(part), AllOf(HasSubstr("a sum in a group"), says_why));
    EXPECT_THAT(refusal(world), says_why);
    EXPECT_THAT(thrown_by([&] { world.barrier(); }), says_why);
    EXPECT_THAT(thrown_by([&] { static_cast<void>(world.buffer<float>(3)); }), says_why);
    EXPECT_THAT(thrown_by([&] { static_cast<void>(part.split(0)); }), says_why);
    EXPECT_THAT(thrown_by([&] { const Exchange second(part, *net); }), says_why);
    EXPECT_THAT(thrown_by([&] { const ShardedSampler sampler(10, world, 1); }), says_why);
    if (world.rank() == 2) {
      EXPECT_THAT(thrown_by([&] { const ShardedSampler sampler(10, pair, 1); }), says_why);
    } else {
      EXPECT_EQ(ShardedSampler(10, pair, 1).next(5)->size(), 5U);
    }
  });
}

TEST(AShardedSampler, ThatIsOlderThanTheServersSaysSoAtItsFirstBatch) {
  on_workers(exec::Fabric::kThreads, 3, [](World& world) {
    ShardedSampler sampler(10, world, 1);
    torch::nn::Sequential net = net_of(0);
    if (world.rank() == 2) return serve(world, *net, by_servers(1));
    const Exchange exchange(world, *net, by_servers(1));
    EXPECT_THAT(
        thrown_by([&] { static_cast<void>(sampler.next(2)); }),
        AllOf(HasSubstr("samples shared out in a group with 1 server"), HasSubstr("exchange.workers()")));
  });
}

// The weights of two groups that train at the same time, each with so many servers of its own.
std::array<std::string, 2> weights_of_groups(exec::Fabric fabric, const ExchangeOptions& options) {
  std::array<std::string, 2> weights;
  std::mutex mutex;
  const Rank nodes = 2 + options.servers;
  on_workers(fabric, 2 * nodes, [&](World& world) {
    const Rank number = world.rank() / nodes;
    Group group = world.split(number);
    torch::nn::Sequential net = net_of(2 * number + group.rank());
    if (group.rank() >= 2) return serve(group, *net, options);
    Exchange exchange(group, *net, options);
    for (int step = 0; step < 4 + number; ++step) take_step(net, exchange, 2 * number + group.rank());
    exchange.finish();
    const std::lock_guard lock(mutex);
    if (weights[idx(number)].empty()) weights[idx(number)] = weights_of(net);
    EXPECT_EQ(weights_of(net), weights[idx(number)]);
  });
  return weights;
}

TEST(Groups, MayHaveServersOfTheirOwn) {
  const std::array<std::string, 2> expected =
      weights_of_groups(exec::Fabric::kThreads, {.strategy = "direct", .bucket_bytes = 64});
  EXPECT_NE(expected[0], expected[1]);
  for (const exec::Fabric fabric : kFabrics) {
    for (const Rank servers : {1, 2}) {
      EXPECT_TRUE(weights_of_groups(fabric, by_servers(servers)) == expected)
          << exec::name(fabric) << servers;
    }
  }
}

TEST(AServer, EndsItsProcessInTheExchangeWhateverGroupsThereAre) {
  static std::optional<Group> reversed;  // the end of a process destroys it
  on_nodes(4, [] {
    World world = join(0, nullptr);
    const Buffer<float> numbers = world.buffer<float>(10);
    Group part = world.split(world.rank() > 0 ? std::optional<std::int64_t>(0) : std::nullopt);
    if (part.empty()) return true;
    reversed = part.split(0, -part.rank());
    torch::nn::Sequential net = net_of(0);
    Exchange exchange(part, *net, by_servers(1));
    if (!expect(part.rank() < 2, "a worker")) return false;
    take_step(net, exchange, world.rank());
    exchange.finish();
    return expect(exchange.workers().size() == 2, "two workers") &&
           says(refusal(*reversed), "a sum in a group with 1 server");
  });
}

}  // namespace
}  // namespace trireme::libtorch
