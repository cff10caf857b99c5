// Operations that are started, and move on while their worker waits for something else.
#include "api/started.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/trireme.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "api/world_impl.h"
#include "api/world_test_util.h"
#include "exec/conformance_test_util.h"
#include "exec/fabrics_test_util.h"
#include "wire/group_wire.h"
#include "wire/notes.h"

namespace trireme {
namespace {

using exec::Fabric;

// A sum of many numbers by ring, which takes several steps.
class StartedSum final : public Started {
 public:
  StartedSum(wire::Wire& wire, plan::Strategy strategy)
      : numbers_(40'001, 1 + wire.rank()),
        runner_(plan::spec_for(strategy, wire.size(), std::ssize(numbers_), 0), exec::ElementType::kInt32,
                wire),
        expected_(wire.size() * (wire.size() + 1) / 2) {}

  void begin() override { runner_.start(std::as_writable_bytes(std::span(numbers_)), exec::in_time()); }
  bool poll() override { return runner_.poll(); }
  void wait(const Deadline& deadline) override { runner_.wait(deadline); }
  [[nodiscard]] bool is_right() const {
    return std::ranges::all_of(numbers_, [&](std::int32_t number) { return number == expected_; });
  }

 private:
  std::vector<std::int32_t> numbers_;
  exec::Runner runner_;
  std::int32_t expected_;
};

class StartedOn : public testing::TestWithParam<Fabric> {};

// All start the operations of three groups, each in another order, and wait for them in yet another: nobody
// ever waits for the same as the others do.
TEST_P(StartedOn, EveryWireTheyMoveOnWhileOthersAreWaitedFor) {
  exec::run_on(GetParam(), 4, [](wire::Wire& job) {
    std::vector<std::unique_ptr<wire::Wire>> groups;
    for (int i = 0; i < 3; ++i) groups.push_back(split(job, 0, i * job.rank() % 4, exec::in_time()));
    StartedOperations all(job.job());
    std::mt19937 random(static_cast<unsigned>(job.rank()));  // not the same on all nodes
    for (int round = 0; round < 20; ++round) {
      std::vector<std::pair<std::size_t, std::shared_ptr<StartedSum>>> started;
      std::vector<std::size_t> order{0, 1, 2};
      std::ranges::shuffle(order, random);
      for (const std::size_t i : order) {
        for (const plan::Strategy strategy :
             {plan::Strategy::kRing, plan::Strategy::kDirect, plan::Strategy::kAllToAll}) {
          started.emplace_back(i, std::make_shared<StartedSum>(*groups[i], strategy));
          all.add(groups[i].get(), started.back().second);
        }
      }
      std::ranges::shuffle(started, random);
      for (const auto& [group, sum] : started) {
        if (random() % 4 == 0) static_cast<void>(all.poll(*sum));
        all.wait(*sum, exec::in_time());
        EXPECT_TRUE(sum->is_right());
      }
      EXPECT_TRUE(all.empty());
    }
  });
}

// A wait that has nothing to do with operations: a barrier of other nodes.
TEST_P(StartedOn, EveryWireTheyMoveOnInABarrier) {
  exec::run_on(GetParam(), 3, [](wire::Wire& job) {
    const auto group = split(job, 0, 0, exec::in_time());
    const auto pair = split(job, job.rank() < 2 ? 0 : 1, 0, exec::in_time());
    StartedOperations all(job.job());
    const auto sum = std::make_shared<StartedSum>(*group, plan::Strategy::kRing);
    all.add(group.get(), sum);
    // Worker 0 waits for the sum before it comes to the barrier of the pair, where worker 1 already is.
    if (job.rank() == 0) all.wait(*sum, exec::in_time());
    if (job.rank() < 2) wire::barrier(*pair, exec::in_time());
    all.wait(*sum, exec::in_time());
    EXPECT_TRUE(sum->is_right());
  });
}

INSTANTIATE_TEST_SUITE_P(AnyWire, StartedOn,
                         testing::Values(Fabric::kThreads, Fabric::kShmThreads, Fabric::kShmProcesses,
                                         Fabric::kTcpThreads, Fabric::kTcpProcesses, Fabric::kMixedThreads),
                         [](const auto& tested) { return exec::name(tested.param); });

TEST(Pending, GivesTheResultsOfAllOperations) {
  on_nodes(3, [] {
    World world = join(0, nullptr);
    const Rank rank = world.rank();
    std::vector<std::int32_t> sum{rank}, least{rank}, most{rank}, product{rank + 1}, news{rank};
    std::vector<double> average{static_cast<double>(rank)};
    const std::vector<std::int32_t> mine{rank};
    std::vector<std::int32_t> all(3), gathered(3), scattered(1), reduced(1), exchanged(3);
    const std::vector<std::int32_t> row{10 * rank, 10 * rank + 1, 10 * rank + 2};
    std::vector<Pending> pending;
    pending.push_back(world.start_sum(sum));
    pending.push_back(world.start_min(least));
    pending.push_back(world.start_max(most));
    pending.push_back(world.start_product(product));
    pending.push_back(world.start_average(average));
    pending.push_back(world.start_broadcast(news, 2));
    pending.push_back(world.start_all_gather(mine, all));
    pending.push_back(world.start_gather(mine, gathered, 1));
    pending.push_back(world.start_scatter(row, scattered, 1));
    pending.push_back(world.start_reduce_scatter(row, reduced, Reduction::kMax));
    pending.push_back(world.start_all_to_all(row, exchanged));
    std::vector<std::int32_t> heard(1);
    const std::vector<std::int32_t> said{rank + 7};
    pending.push_back(world.start_receive(heard, (rank + 2) % 3, 5));
    pending.push_back(world.start_send(said, (rank + 1) % 3, 5));
    while (!pending[3].done()) {
    }
    for (std::size_t i = pending.size(); i-- > 0;) pending[i].wait();
    return expect(sum[0] == 3 && least[0] == 0 && most[0] == 2 && product[0] == 6, "the reductions") &&
           expect(average[0] == 1 && news[0] == 2, "the average and the news") &&
           expect(all == std::vector<std::int32_t>{0, 1, 2}, "the all-gather") &&
           expect(rank != 1 || gathered == all, "the gather") &&
           expect(scattered[0] == 10 + rank, "the scatter") &&
           expect(reduced[0] == 20 + rank, "the maxima") &&
           expect(exchanged == std::vector<std::int32_t>{rank, 10 + rank, 20 + rank}, "the all-to-all") &&
           expect(heard[0] == (rank + 2) % 3 + 7, "the message");
  });
}

TEST(Pending, RunsBesideOtherGroupsAndBeforeLaterCallsOfItsOwn) {
  on_nodes(4, [] {
    World world = join(0, nullptr);
    Group row = world.split(world.rank() / 2);
    Group column = world.split(world.rank() % 2);
    bool right = true;
    for (int round = 0; round < 50 && right; ++round) {
      std::vector<std::int64_t> in_row(5000, 1), in_column(5000, 10), in_world(3, 100);
      const bool first = (world.rank() + round) % 2 == 0;
      std::optional<Pending> one, other;
      if (first) one = row.start_sum(in_row);
      other = column.start_sum(in_column);
      if (!first) one = row.start_sum(in_row);
      world.sum(in_world);
      if (first) other->wait();
      one->wait();
      row.sum(in_row);  // after the one that was started
      other->wait();
      right = expect(in_row[4999] == 4 && in_column[0] == 20 && in_world[2] == 400, "the sums");
    }
    return right;
  });
}

TEST(Pending, WaitsWhenItGoes) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    std::vector<std::int32_t> numbers(3, 1);
    { const Pending forgotten = world.start_sum(numbers); }
    Pending replaced = world.start_sum(numbers);
    std::vector<std::int32_t> others(3, 1);
    replaced = world.start_sum(others);
    const bool first = expect(numbers[0] == 4, "the sum of the one that was replaced");
    replaced.wait();
    replaced.wait();
    return first && expect(replaced.done() && others[0] == 2, "the sum");
  });
}

TEST(Pending, CanBeMovedAndSaysSoWhenItWas) {
  on_nodes(2, [] {
    World world = join(0, nullptr);
    std::vector<float> numbers{1};
    Pending first = world.start_sum(numbers);
    Pending& same = first;
    first = std::move(same);
    Pending second = std::move(first);
    const std::string error = thrown_by([&] { first.wait(); });  // NOLINT(bugprone-use-after-move)
    second.wait();
    return says(error, "a Pending that was moved to another") && expect(numbers[0] == 2, "the sum");
  });
}

TEST(Pending, OfAnExceptionLetsTheOthersKnow) {
  on_nodes_that_fail(2, [] {
    World world = join(0, nullptr);
    std::vector<std::int32_t> numbers(3, 1);
    if (world.rank() == 1) {
      try {
        const Pending pending = world.start_receive(numbers, 0);
        throw 1;
      } catch (int) {
      }
      return says(thrown_by([&] { world.barrier(); }), "an exception ends this worker");
    }
    return says(thrown_by([&] { world.receive(numbers, 1); }), "an exception ends this worker");
  });
}

TEST(Pending, ThatFailsFailsEveryOther) {
  on_nodes_that_fail(3, [] {
    World world = join(0, nullptr);
    Group pair = world.split(world.rank() < 2 ? 0 : 1);
    std::vector<std::int32_t> numbers(5);
    std::vector<std::int32_t> more(5);
    if (world.rank() == 2) return true;  // and goes
    Pending late = world.start_sum(numbers);
    Pending of_pair = pair.start_sum(more);
    const std::string error = thrown_by([&] { late.wait(); });
    return says(error, "rank 2") && says(thrown_by([&] {
                                           of_pair.wait();
                                           pair.barrier();
                                         }),
                                         "rank 2");
  });
}

TEST(Pending, NamesItsMessageWhenItFails) {
  on_nodes_that_fail(2, [] {
    World world = join(0, nullptr);
    std::vector<float> three(3);
    if (world.rank() == 1) {
      const std::vector<float> two(2);
      Pending sent = world.start_send(two, 0, 9);
      sent.wait();
      return !thrown_by([&] { world.barrier(); }).empty();
    }
    Pending pending = world.start_receive(three, 1, 9);
    return says(thrown_by([&] { pending.wait(); }), "receive of 3 float32 from rank 1 with tag 9");
  });
}

}  // namespace
}  // namespace trireme
