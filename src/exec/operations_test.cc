// Every operation on every wire, by every strategy, in private memory, in windows and in both: what each node
// gets, what it counts, and what stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/trials_test_util.h"
#include "exec/auto_strategy.h"
#include "exec/conformance_test_util.h"
#include "exec/exchange_test_util.h"
#include "exec/fabrics_test_util.h"
#include "plan/holdings.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/operations.h"
#include "wire/group_wire.h"
#include "wire/notes.h"

namespace trireme::exec {
namespace {

using plan::Operation;
using ::testing::HasSubstr;

// What this worker brings, straight from the meaning of the operation: in the buffer, or in the row of
// another worker, the small numbers of whoever they come from.
Numbers brought(const plan::PlanSpec& spec, ElementType type, Rank worker) {
  const bool is_root = worker == spec.root;
  const plan::Slice own = plan::chunk(worker, spec.parameters, spec.workers);
  plan::Slice held{0, spec.parameters};
  if (plan::has_root(spec.operation) && spec.operation != Operation::kGather && !is_root) held = {0, 0};
  if (spec.operation == Operation::kGather || spec.operation == Operation::kAllGather) held = own;
  Numbers numbers;
  append_small_numbers(numbers, type, worker, held.first, held.count);
  return numbers;
}

// What this worker gets, likewise.
Numbers expected(const plan::PlanSpec& spec, ElementType type, Rank worker) {
  const std::int64_t p = spec.parameters;
  const plan::Slice own = plan::chunk(worker, p, spec.workers);
  Numbers numbers;
  const auto put_all = [&] {
    for (Rank of = 0; of < spec.workers; ++of) {
      const plan::Slice chunk = plan::chunk(of, p, spec.workers);
      append_small_numbers(numbers, type, of, chunk.first, chunk.count);
    }
  };
  switch (spec.operation) {
    case Operation::kSum:
      break;
    case Operation::kBroadcast:
      append_small_numbers(numbers, type, spec.root, 0, p);
      break;
    case Operation::kGather:
      if (worker == spec.root) put_all();
      break;
    case Operation::kAllGather:
      put_all();
      break;
    case Operation::kScatter:
      append_small_numbers(numbers, type, spec.root, own.first, own.count);
      break;
    case Operation::kReduceScatter:
      append_repeating(numbers, type, own.first, own.count, [&](std::int64_t at) {
        double sum = 0;
        for (Rank of = 0; of < spec.workers; ++of) sum += small_number(of, at);
        return sum;
      });
      break;
    case Operation::kAllToAll:
      for (Rank of = 0; of < spec.workers; ++of)
        append_small_numbers(numbers, type, of, own.first, own.count);
      break;
  }
  return numbers;
}

enum class Place {
  kPrivate,
  kWindow,
  kBoth,     // some nodes in a window, some not
  kInPlace,  // what a node brings lies where it is to go, if it keeps it
};

bool is_in_window(Place place, Rank rank) {
  return place == Place::kWindow || (place == Place::kBoth && rank % 2 == 0);
}

// Where the node's own part lies in what it gets; nothing where it does not keep it.
std::optional<std::int64_t> own_place(const plan::PlanSpec& spec, Rank rank) {
  const plan::Slice own = plan::chunk(rank, spec.parameters, spec.workers);
  if (spec.operation == Operation::kAllGather) return own.first;
  if (spec.operation == Operation::kGather && rank == spec.root) return own.first;
  return std::nullopt;
}

// One node's part. What it brings lies at an odd place of its memory.
void expect_right(wire::Wire& wire, Place place, const plan::PlanSpec& spec, ElementType type, int times) {
  SCOPED_TRACE(plan::in_words(spec) + " root=" + std::to_string(spec.root) + " of " +
               std::string(name(type)) + " rank " + std::to_string(wire.rank()));
  const Rank rank = wire.rank();
  const Numbers own = brought(spec, type, rank);
  const Numbers result = expected(spec, type, rank);
  const std::size_t shift = idx(size_of(type));
  wire::shm::Window window;
  if (place == Place::kWindow || place == Place::kBoth) {
    const std::size_t bytes = idx(spec.parameters * size_of(type)) + shift;
    window = wire.windows()->make(wire, bytes, in_time());
  }
  Numbers memory(std::max(own.size(), result.size()) + shift);
  Numbers into(result.size());
  Runner runner(spec, type, wire);
  for (int i = 0; i < times; ++i) {
    std::span<std::byte> from =
        is_in_window(place, rank) ? window.bytes().subspan(shift) : std::span(memory).subspan(shift);
    std::span<std::byte> gets = into;
    if (is_in_place(spec.operation)) {
      gets = from = from.first(result.size());
    } else if (place == Place::kInPlace && own_place(spec, rank)) {
      from = gets.subspan(idx(*own_place(spec, rank) * size_of(type)), own.size());
    } else {
      from = from.first(own.size());
    }
    std::fill(gets.begin(), gets.end(), std::byte{0x5a});
    std::copy(own.begin(), own.end(), from.begin());
    const wire::Counters before = wire.counters();
    runner.prepare(in_time());
    const wire::Counters prepared = wire.counters();
    runner.run({from, gets}, in_time());
    wire::Counters grown = wire.counters();
    grown -= i == 0 ? prepared : before;
    EXPECT_TRUE(are_same(gets, result)) << "it got something else";
    EXPECT_TRUE(is_in_place(spec.operation) || are_same(from, own)) << "what it brought changed";
    EXPECT_EQ(grown, tally_of(spec, rank, type));
  }
}

std::vector<plan::PlanSpec> every_operation_of(Rank workers, std::int64_t p) {
  std::vector<plan::PlanSpec> specs;
  for (const Operation operation : plan::all_operations()) {
    if (operation == Operation::kSum) continue;
    for (const plan::Strategy strategy : plan::strategies_of(operation)) {
      for (Rank root = 0; root < (plan::has_root(operation) ? workers : 1); ++root)
        specs.push_back(plan::operation_of(operation, strategy, workers, p, root));
    }
  }
  return specs;
}

using Setting = std::tuple<Fabric, Place, Rank>;

class EveryOperation : public testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] static Place place() { return std::get<1>(GetParam()); }
  [[nodiscard]] static Rank workers() { return std::get<2>(GetParam()); }
  static void on_all(const NodeBody& body) { run_on(std::get<0>(GetParam()), workers(), body); }
};

// In the long form every type with every size; else each spec with one of the types.
TEST_P(EveryOperation, GivesEachNodeItsPartAndCountsEveryMessage) {
  const std::span<const ElementType> types = all_element_types();
  const int one_in = one_trial_in(static_cast<int>(types.size()), static_cast<int>(types.size()));
  on_all([&](wire::Wire& wire) {
    int trial = static_cast<int>(workers()) * 3 + static_cast<int>(place());
    for (const std::int64_t p : {0, 1, 2, 5, 17, 1000}) {
      for (const plan::PlanSpec& spec : every_operation_of(workers(), p)) {
        for (const ElementType type : types) {
          if (++trial % one_in == 0) expect_right(wire, place(), spec, type, 2);
        }
        ++trial;
      }
    }
  });
}

TEST_P(EveryOperation, GoesThroughInPiecesIfItIsLarge) {
  const int one_in = one_trial_in(1, 4);
  on_all([&](wire::Wire& wire) {
    int trial = static_cast<int>(workers()) + static_cast<int>(place());
    for (const plan::PlanSpec& spec : every_operation_of(workers(), 200'003)) {
      if (spec.root != 0 && spec.root != workers() - 1) continue;
      if (++trial % one_in == 0) expect_right(wire, place(), spec, ElementType::kInt32, 2);
    }
  });
}

// In turn with sums and barriers, which use the same stages and ticks, and in every order of sizes.
TEST_P(EveryOperation, GetsAlongWithSumsAndBarriers) {
  on_all([&](wire::Wire& wire) {
    plan::PlanSpec sum;
    sum.workers = workers();
    for (const std::int64_t p : {3, 70'000 / one_trial_in(1, 4), 40}) {
      sum.parameters = p;
      sum.strategy = plan::Strategy::kAllToAll;
      Runner runner(sum, ElementType::kFloat32, wire);
      const Numbers expected_sum = sum_of_small_numbers(sum, ElementType::kFloat32);
      for (const plan::PlanSpec& spec : every_operation_of(workers(), p)) {
        if (spec.root != 0) continue;
        expect_right(wire, place(), spec, ElementType::kInt32, 1);
        Numbers buffer = small_numbers(sum, ElementType::kFloat32)[idx(wire.rank())];
        runner.run(buffer, in_time());
        EXPECT_TRUE(are_same(buffer, expected_sum));
        wire::barrier(wire, in_time());
      }
    }
  });
}

TEST_P(EveryOperation, WorksInGroupsInAnotherOrder) {
  on_all([&](wire::Wire& job) {
    const std::unique_ptr<wire::Wire> group = split(job, job.rank() % 2, -job.rank(), in_time());
    const bool has_windows = group->windows() != nullptr;
    for (const plan::PlanSpec& spec : every_operation_of(group->size(), 100)) {
      expect_right(*group, has_windows ? place() : Place::kPrivate, spec, ElementType::kFloat64, 1);
    }
  });
}

std::string setting_name(const testing::TestParamInfo<Setting>& tested) {
  constexpr const char* kPlaces[] = {"private", "window", "both", "in_place"};
  return name(std::get<0>(tested.param)) + "_" + kPlaces[static_cast<int>(std::get<1>(tested.param))] + "_" +
         std::to_string(std::get<2>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(
    ByMessages, EveryOperation,
    testing::Combine(testing::Values(Fabric::kThreads, Fabric::kTcpThreads, Fabric::kMixedThreads),
                     testing::Values(Place::kPrivate, Place::kInPlace), testing::Values(1, 2, 3, 4, 5, 7)),
    setting_name);
INSTANTIATE_TEST_SUITE_P(InSharedMemory, EveryOperation,
                         testing::Combine(testing::Values(Fabric::kShmThreads, Fabric::kShmProcesses),
                                          testing::Values(Place::kPrivate, Place::kWindow, Place::kBoth,
                                                          Place::kInPlace),
                                          testing::Values(1, 2, 3, 4, 6, 7)),
                         setting_name);
INSTANTIATE_TEST_SUITE_P(BetweenProcesses, EveryOperation,
                         testing::Combine(testing::Values(Fabric::kTcpProcesses),
                                          testing::Values(Place::kPrivate), testing::Values(2, 5)),
                         setting_name);

// The same bits as a sum, for every type and reduction, by both strategies and through windows.
TEST(ReduceScatter, GivesTheBitsOfASumOnEveryWire) {
  for (const Fabric fabric : {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads}) {
    run_on(fabric, 3, [&](wire::Wire& wire) {
      for (const ElementType type : {ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt64}) {
        for (const Reduction reduction :
             {Reduction::kSum, Reduction::kAverage, Reduction::kProduct, Reduction::kMin, Reduction::kMax}) {
          if (reduction == Reduction::kAverage && is_integer(type)) continue;
          plan::PlanSpec spec;
          spec.workers = 3;
          spec.parameters = 101;
          const Numbers own = rough_numbers(spec, type, 7)[idx(wire.rank())];
          Numbers sum = own;
          Runner(spec, type, wire, reduction).run(sum, in_time());
          for (const plan::Strategy strategy : plan::strategies_of(Operation::kReduceScatter)) {
            spec.operation = Operation::kReduceScatter;
            spec.strategy = strategy;
            const plan::Slice chunk = plan::chunk(wire.rank(), spec.parameters, spec.workers);
            const auto size = idx(size_of(type));
            Numbers into(idx(chunk.count) * size);
            Runner(spec, type, wire, reduction).run({own, into}, in_time());
            EXPECT_TRUE(are_same(into, std::span(sum).subspan(idx(chunk.first) * size, into.size())))
                << name(reduction) << " of " << name(type) << " by " << plan::name(strategy);
          }
          spec = {};
        }
      }
    });
  }
}

// What the nodes report when each runs a spec of its own; nothing where it went well.
std::vector<std::optional<Failure>> failures_of(Fabric fabric, Rank nodes,
                                                const std::function<plan::PlanSpec(Rank)>& spec_for) {
  std::vector<std::optional<Failure>> failures(idx(nodes));
  run_on(fabric, nodes, [&](wire::Wire& wire) {
    const plan::PlanSpec spec = spec_for(wire.rank());
    const plan::Holdings held = plan::holdings(spec, wire.rank());
    const Numbers from(idx(plan::total(held.before)) * 4);
    Numbers into(idx(plan::total(held.after)) * 4);
    Runner runner(spec, ElementType::kFloat32, wire);
    try {
      is_in_place(spec.operation) ? runner.run(into, in_time()) : runner.run({from, into}, in_time());
    } catch (const Error& error) {
      failures[idx(wire.rank())] = error.failure();
    }
  });
  return failures;
}

TEST(OperationFailure, SaysWhoHasAnotherRootOrCallsAnotherOperation) {
  for (const Fabric fabric : {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads}) {
    SCOPED_TRACE(name(fabric));
    const auto strategy = plan::Strategy::kTree;
    const auto roots = failures_of(fabric, 3, [&](Rank rank) {
      return plan::operation_of(Operation::kBroadcast, strategy, 3, 8, rank == 1 ? 1 : 0);
    });
    const auto operations = failures_of(fabric, 3, [&](Rank rank) {
      return plan::operation_of(rank == 2 ? Operation::kGather : Operation::kScatter, strategy, 3, 8);
    });
    for (const std::size_t rank : {0U, 1U, 2U}) {
      ASSERT_TRUE(roots[rank]);
      EXPECT_THAT(roots[rank]->what, HasSubstr("rank 1 at broadcast with root 1 of 8 float32 by tree"));
      EXPECT_EQ(roots[rank]->culprit, 1);
      ASSERT_TRUE(operations[rank]);
      EXPECT_THAT(operations[rank]->what, HasSubstr("rank 2 at gather with root 0 of 8 float32 by tree"));
    }
  }
}

TEST(OperationFailure, NamesALateNodeWithTheStepInWords) {
  for (const Fabric fabric : {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads}) {
    SCOPED_TRACE(name(fabric));
    std::atomic<int> failed{0};
    run_on(fabric, 3, [&](wire::Wire& wire) {
      const plan::PlanSpec spec = plan::operation_of(Operation::kAllGather, plan::Strategy::kDirect, 3, 300);
      Runner runner(spec, ElementType::kFloat32, wire);
      Numbers into(1200);
      const Numbers from(400);
      if (wire.rank() == 1) {
        while (failed < 2) std::this_thread::yield();
        return;
      }
      try {
        runner.run({from, into}, Deadline::after(std::chrono::milliseconds(300)));
        ADD_FAILURE() << "rank " << wire.rank() << " waits for nobody";
      } catch (const Error& error) {
        EXPECT_EQ(error.failure().culprit, 1) << error.what();
        ++failed;
      }
    });
  }
}

TEST(OperationFailure, RefusesMemoryOfAnotherSize) {
  run_on(Fabric::kThreads, 1, [](wire::Wire& wire) {
    const plan::PlanSpec spec = plan::operation_of(Operation::kScatter, plan::Strategy::kDirect, 1, 8);
    Runner runner(spec, ElementType::kFloat32, wire);
    const Numbers from(28);
    Numbers into(32);
    EXPECT_THAT(failure_of([&] {
                  runner.run({from, into}, in_time());
                }).what,
                HasSubstr("what this node brings has 28 bytes, but 8 elements of float32 take 32"));
  });
}

}  // namespace
}  // namespace trireme::exec
