// A driver whose caller goes on with the exchanges when it likes, each time without waiting.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "exec/exchange_test_util.h"
#include "plan/strategies/strategies.h"
#include "rounds/round_driver.h"
#include "wire/shm/shm_test_util.h"

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

// They differ in length, so that none is taken for another.
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

// One node's runners, prepared, with their buffers, and a round of them.
struct Node {
  Node(wire::Wire& wire, const std::vector<plan::PlanSpec>& specs) {
    for (const plan::PlanSpec& spec : specs) {
      runners.emplace_back(spec, kType, wire).prepare(exec::in_time());
      buffers.push_back(exec::small_numbers(spec, kType)[idx(wire.rank())]);
    }
    for (std::size_t i = 0; i < specs.size(); ++i) items.push_back({&runners[i], buffers[i]});
  }
  void begin(std::chrono::nanoseconds timeout = 60s) {
    driver = make_round_driver(Drive::kHooks, timeout);
    driver->begin(items);
  }
  [[nodiscard]] bool is_right(std::size_t i) const {
    return buffers[i] == exec::sum_of_small_numbers(runners[i].spec(), kType);
  }
  // The first so many.
  [[nodiscard]] std::size_t complete() const {
    std::size_t count = 0;
    while (count < buffers.size() && is_right(count)) ++count;
    return count;
  }

  std::deque<exec::Runner> runners;
  std::vector<exec::Numbers> buffers;
  std::vector<RoundDriver::Item> items;
  std::unique_ptr<RoundDriver> driver;
};

// All nodes of a job, in the test's own thread once they have agreed.
std::vector<std::unique_ptr<Node>> prepared(const wire::shm::ShmJob& job,
                                            const std::vector<plan::PlanSpec>& specs) {
  std::vector<std::unique_ptr<Node>> nodes(idx(job.nodes()));
  job.on_all(
      [&](wire::shm::ShmWire& wire) { nodes[idx(wire.rank())] = std::make_unique<Node>(wire, specs); });
  return nodes;
}

TEST(RoundDriverByHooks, RunsMixedExchangesAtDifferentPaces) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const wire::shm::ShmJob job(3);
    const auto nodes = prepared(job, mixed_specs(3));
    exec::TestBits random(seed);
    for (const auto& node : nodes) node->begin();
    const auto all_complete = [&] {
      return std::ranges::all_of(nodes, [](const auto& node) { return node->complete() == 6; });
    };
    for (int polls = 0; !all_complete(); ++polls) {
      ASSERT_LT(polls, 100'000);
      Node& node = *nodes[random.next() % nodes.size()];
      const std::size_t before = node.complete();
      node.driver->open(6);
      EXPECT_GE(node.complete(), before);
    }
    for (const auto& node : nodes) node->driver->finish();
    EXPECT_TRUE(all_complete());
  }
}

TEST(RoundDriverByHooks, BeginsNoneThatIsNotOpen) {
  const wire::shm::ShmJob job(2);
  const auto nodes = prepared(job, mixed_specs(2));
  for (const auto& node : nodes) node->begin();
  const std::vector<exec::Numbers> before = nodes[0]->buffers;
  EXPECT_TRUE(comes_true([&] {
    for (const auto& node : nodes) node->driver->open(3);
    return nodes[0]->complete() == 3 && nodes[1]->complete() == 3;
  }));
  for (const auto& node : nodes) node->driver->open(3);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(nodes[0]->buffers[i], before[i]);
  wire::on_threads({[&] { nodes[0]->driver->finish(); }, [&] { nodes[1]->driver->finish(); }});
  for (const auto& node : nodes) EXPECT_EQ(node->complete(), 6U);
}

TEST(RoundDriverByHooks, PastTheDeadlineNamesTheNodeThatIsLate) {
  for (const plan::Strategy strategy :
       {plan::Strategy::kRing, plan::Strategy::kDirect, plan::Strategy::kAllToAll}) {
    SCOPED_TRACE(plan::name(strategy));
    const wire::shm::ShmJob job(3);
    const auto nodes = prepared(job, {spec_of(strategy, 3, 100)});
    nodes[0]->begin(1ms);
    nodes[1]->begin();
    for (const std::size_t rank : {0U, 1U}) nodes[rank]->driver->open(1);
    std::this_thread::sleep_for(2ms);
    const Failure failure = exec::failure_of([&] {
      for (int i = 0; i < 1000; ++i) nodes[0]->driver->open(1);
    });
    EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
    EXPECT_EQ(failure.peer, 2);
    EXPECT_EQ(failure.culprit, 2);
    EXPECT_THAT(failure.op, HasSubstr("step 1 of " + std::string(plan::name(strategy))));
  }
}

TEST(RoundDriverByHooks, EndsWithAPeerThatLeaves) {
  for (const plan::Strategy strategy :
       {plan::Strategy::kRing, plan::Strategy::kDirect, plan::Strategy::kAllToAll}) {
    const wire::shm::ShmJob job(2);
    const auto nodes = prepared(job, {spec_of(strategy, 2, 100), spec_of(strategy, 2, 50)});
    nodes[0]->begin();
    nodes[0]->driver->open(1);
    job.wire(1).leave({});
    EXPECT_EQ(exec::failure_of([&] { nodes[0]->driver->finish(); }).cause, Failure::Cause::kPeerLost);
    nodes[0]->begin();
    EXPECT_THAT(exec::failure_of([&] { nodes[0]->driver->finish(); }).what, HasSubstr("this node has left"));
  }
}

// The exchanges differ in length, and the nodes have them in different orders.
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
    std::ranges::reverse(nodes[1]->items);
    for (const auto& node : nodes) node->begin();
    const auto run = [&](std::size_t rank) {
      static_cast<void>(exec::failure_of([&] { nodes[rank]->driver->finish(); }));
    };
    wire::on_threads({[&] { run(0); }, [&] { run(1); }});
    ASSERT_TRUE(job.segment().first_failure());
    EXPECT_EQ(job.segment().first_failure()->cause, Failure::Cause::kMismatch);
    EXPECT_THAT(job.segment().first_failure()->hint, HasSubstr("every node"));
  }
}

}  // namespace
}  // namespace trireme::rounds
