#include "rounds/exchange_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "exec/exchange_test_util.h"
#include "plan/strategies/strategies.h"
#include "wire/shm/shm_test_util.h"
#include "wire/threads/in_process.h"

namespace trireme::rounds {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr exec::ElementType kType = exec::ElementType::kInt64;

plan::PlanSpec spec_of(plan::Strategy strategy, std::int32_t workers, std::int64_t parameters) {
  plan::PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = workers;
  spec.parameters = parameters;
  return spec;
}

// Of different lengths, so that none is taken for another.
std::vector<plan::PlanSpec> mixed_specs(std::int32_t workers) {
  std::vector<plan::PlanSpec> specs;
  std::int64_t parameters = 50;
  for (const plan::Strategy strategy :
       {plan::Strategy::kAllToAll, plan::Strategy::kRing, plan::Strategy::kDirect, plan::Strategy::kTree,
        plan::Strategy::kAllToAll, plan::Strategy::kRecursiveDoubling}) {
    specs.push_back(spec_of(strategy, workers, parameters++));
  }
  return specs;
}

// One node's runners, prepared, with their buffers.
struct Node {
  Node(wire::Wire& wire, const std::vector<plan::PlanSpec>& specs) {
    for (const plan::PlanSpec& spec : specs) {
      runners.emplace_back(spec, kType, wire).prepare(exec::in_time());
      buffers.push_back(exec::small_numbers(spec, kType)[idx(wire.rank())]);
    }
  }
  void start(std::size_t i, const Deadline& deadline = exec::in_time()) {
    queue.start(runners[i], buffers[i], deadline);
  }
  void start_all(const Deadline& deadline = exec::in_time()) {
    for (std::size_t i = 0; i < runners.size(); ++i) start(i, deadline);
  }
  [[nodiscard]] bool is_right(std::size_t i) const {
    return buffers[i] == exec::sum_of_small_numbers(runners[i].spec(), kType);
  }

  std::deque<exec::Runner> runners;
  std::vector<exec::Numbers> buffers;
  ExchangeQueue queue;
};

// All nodes of a job, in the test's own thread once they have agreed.
std::vector<std::unique_ptr<Node>> prepared(const wire::shm::ShmJob& job,
                                            const std::vector<plan::PlanSpec>& specs) {
  std::vector<std::unique_ptr<Node>> nodes(idx(job.nodes()));
  job.on_all(
      [&](wire::shm::ShmWire& wire) { nodes[idx(wire.rank())] = std::make_unique<Node>(wire, specs); });
  return nodes;
}

TEST(ExchangeQueue, RunsMixedExchangesPolledAtDifferentPaces) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const wire::shm::ShmJob job(3);
    const auto nodes = prepared(job, mixed_specs(3));
    exec::TestBits random(seed);
    for (const auto& node : nodes) node->start_all();
    std::size_t left = 6 * nodes.size();
    for (int polls = 0; left > 0; ++polls) {
      ASSERT_LT(polls, 100'000);
      nodes[random.next() % nodes.size()]->queue.poll();
      std::size_t now = 0;
      for (const auto& node : nodes) now += node->queue.size();
      EXPECT_LE(now, left);
      left = now;
      for (const auto& node : nodes) {  // what is no longer in the queue is complete
        for (std::size_t i = 0; i + node->queue.size() < 6; ++i) EXPECT_TRUE(node->is_right(i));
      }
    }
  }
}

TEST(ExchangeQueue, PollSaysWhenAllAreComplete) {
  const wire::shm::ShmJob job(2);
  const auto nodes = prepared(job, mixed_specs(2));
  EXPECT_TRUE(nodes[0]->queue.poll());  // nothing is not incomplete
  for (const auto& node : nodes) node->start_all();
  EXPECT_FALSE(nodes[0]->queue.poll());
  EXPECT_TRUE(comes_true([&] {
    nodes[1]->queue.poll();
    return nodes[0]->queue.poll();
  }));
  EXPECT_EQ(nodes[0]->queue.size(), 0U);
}

TEST(ExchangeQueue, WaitsForOneAndAllBeforeItButNoneAfter) {
  const wire::shm::ShmJob job(2);
  const auto nodes = prepared(job, mixed_specs(2));
  wire::on_threads({[&] {
                      nodes[0]->start_all();
                      nodes[0]->queue.wait(nodes[0]->runners[2]);
                      for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(nodes[0]->is_right(i));
                      EXPECT_EQ(nodes[0]->queue.size(), 3U);
                      nodes[0]->queue.wait(nodes[0]->runners[1]);  // long complete
                      EXPECT_EQ(nodes[0]->queue.size(), 3U);
                    },
                    [&] {
                      for (std::size_t i = 0; i < 3; ++i) nodes[1]->start(i);
                      nodes[1]->queue.wait_for_all();
                      EXPECT_EQ(nodes[1]->queue.size(), 0U);
                    }});
}

TEST(ExchangeQueue, WorksBetweenThreadsToo) {
  wire::threads::InProcessFabric fabric(3);
  const auto body = [&](Rank rank) {
    Node node(fabric.wire(rank), mixed_specs(3));
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < node.buffers.size(); ++i) {
        node.buffers[i] = exec::small_numbers(node.runners[i].spec(), kType)[idx(rank)];
      }
      node.start_all();
      node.queue.wait_for_all();
      for (std::size_t i = 0; i < node.buffers.size(); ++i) EXPECT_TRUE(node.is_right(i)) << i;
    }
  };
  wire::on_threads({[&] { body(0); }, [&] { body(1); }, [&] { body(2); }});
}

TEST(ExchangeQueue, PolledPastTheDeadlineNamesTheNodeThatIsLate) {
  for (const plan::Strategy strategy :
       {plan::Strategy::kRing, plan::Strategy::kDirect, plan::Strategy::kAllToAll}) {
    SCOPED_TRACE(plan::name(strategy));
    const wire::shm::ShmJob job(3);
    const auto nodes = prepared(job, {spec_of(strategy, 3, 100)});
    nodes[0]->start_all(Deadline::after(1ms));
    nodes[1]->start_all();
    std::this_thread::sleep_for(2ms);
    const Failure failure = exec::failure_of([&] {
      for (int i = 0; i < 1000; ++i) nodes[0]->queue.poll();
    });
    EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
    EXPECT_EQ(failure.peer, 2);
    EXPECT_EQ(failure.culprit, 2);
    EXPECT_THAT(failure.op, HasSubstr("step 1 of " + std::string(plan::name(strategy))));
  }
}

TEST(ExchangeQueue, IsEmptyAfterAFailureAndTakesNoMore) {
  for (const plan::Strategy strategy :
       {plan::Strategy::kRing, plan::Strategy::kDirect, plan::Strategy::kAllToAll}) {
    const wire::shm::ShmJob job(2);
    const auto nodes = prepared(job, {spec_of(strategy, 2, 100), spec_of(strategy, 2, 50)});
    nodes[0]->start_all();
    job.wire(1).leave({});
    EXPECT_EQ(exec::failure_of([&] { nodes[0]->queue.wait_for_all(); }).cause, Failure::Cause::kPeerLost);
    EXPECT_EQ(nodes[0]->queue.size(), 0U);
    EXPECT_NO_THROW(nodes[0]->queue.wait_for_all());
    EXPECT_THAT(exec::failure_of([&] { nodes[0]->start(1); }).what, HasSubstr("this node has left"));
    EXPECT_EQ(nodes[0]->queue.size(), 0U);
  }
}

// The exchanges differ in length, and the nodes start them in different orders.
TEST(ExchangesInDifferentOrder, EndInAMismatchOnEveryNode) {
  for (const auto& [one, other] : std::vector<std::pair<plan::Strategy, plan::Strategy>>{
           {plan::Strategy::kRing, plan::Strategy::kRing},  // through messages
           {plan::Strategy::kTree, plan::Strategy::kRing},
           {plan::Strategy::kDirect, plan::Strategy::kDirect},  // through ticks
           {plan::Strategy::kAllToAll, plan::Strategy::kDirect},
           {plan::Strategy::kAllToAll, plan::Strategy::kAllToAll}}) {
    SCOPED_TRACE(std::string(plan::name(one)) + " and " + std::string(plan::name(other)));
    const wire::shm::ShmJob job(2);
    const auto nodes = prepared(job, {spec_of(one, 2, 100), spec_of(other, 2, 200)});
    std::vector<Failure> failures(2);
    const auto run = [&](Rank rank) {
      failures[idx(rank)] = exec::failure_of([&] {
        nodes[idx(rank)]->start(idx(rank));
        nodes[idx(rank)]->start(idx(1 - rank));
        nodes[idx(rank)]->queue.wait_for_all();
      });
    };
    wire::on_threads({[&] { run(0); }, [&] { run(1); }});
    ASSERT_TRUE(job.segment().first_failure());
    EXPECT_EQ(job.segment().first_failure()->cause, Failure::Cause::kMismatch);
    EXPECT_THAT(job.segment().first_failure()->hint, HasSubstr("every node"));
  }
}

}  // namespace
}  // namespace trireme::rounds
