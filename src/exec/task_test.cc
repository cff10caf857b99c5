// Nodes that are about to run different things hear of it before any buffer is touched.
#include "exec/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "exec/exchange_test_util.h"
#include "plan/strategies/operations.h"
#include "wire/notes.h"
#include "wire/shm/shm_test_util.h"
#include "wire/threads/in_process.h"

namespace trireme::exec {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Wanted {
  plan::PlanSpec spec;
  ElementType type = ElementType::kFloat32;
  Reduction reduction = Reduction::kSum;
};

Wanted usual() {
  Wanted wanted;
  wanted.spec.strategy = plan::Strategy::kParameterServer;
  wanted.spec.workers = 3;
  wanted.spec.parameters = 100;
  wanted.spec.shares_on_workers = 3;
  return wanted;
}

constexpr const char* kUsual = "sum of 100 float32 by parameter-server among 3 workers, shares on 3";

// Rank 1 wants something else. Everybody must say who is at what, and leave its buffer alone; also after
// exchanges that went well, and whatever way each would go through the wire.
void expect_difference(const std::function<void(Wanted&)>& change, const std::string& other_words) {
  SCOPED_TRACE(other_words);
  for (const int before : {0, 1, 2}) {
    const wire::shm::ShmJob job(3);
    job.on_all([&](wire::shm::ShmWire& wire) {
      Wanted wanted = usual();
      Numbers usual_buffer = buffer_for(wanted.spec, wanted.type);
      Runner usual_runner(wanted.spec, wanted.type, wire, wanted.reduction);
      for (int i = 0; i < before; ++i) usual_runner.run(usual_buffer, in_time());

      if (wire.rank() == 1) change(wanted);
      Numbers buffer(idx(wanted.spec.parameters * size_of(wanted.type)), std::byte{7});
      const Numbers untouched = buffer;
      try {
        Runner runner(wanted.spec, wanted.type, wire, wanted.reduction);
        (wire.rank() == 1 ? runner : usual_runner).run(buffer, in_time());
        ADD_FAILURE() << "rank " << wire.rank() << " should have failed";
      } catch (const Error& error) {
        EXPECT_EQ(error.failure().cause, Failure::Cause::kMismatch);
        EXPECT_EQ(error.failure().rank, wire.rank());
        EXPECT_EQ(error.failure().culprit, 1);
        EXPECT_THAT(error.failure().what,
                    AllOf(HasSubstr("the nodes called different operations: rank 1 at " + other_words),
                          HasSubstr(std::string(", ranks 0 and 2 at ") + kUsual)));
        EXPECT_FALSE(error.failure().hint.empty());
      }
      EXPECT_EQ(buffer, untouched);
    });
    EXPECT_EQ(job.segment().first_failure()->cause, Failure::Cause::kMismatch);
  }
}

TEST(Task, SaysInWordsWhichOperationItIs) {
  plan::PlanSpec spec;
  spec.workers = 3;
  spec.parameters = 1000;
  const auto words = [&](plan::Operation operation, plan::Strategy strategy) {
    spec.operation = operation;
    spec.strategy = strategy;
    spec.root = plan::has_root(operation) ? 2 : 0;
    return std::string(Task(spec, ElementType::kFloat32, Reduction::kMax, {}, 0).signature.text.data());
  };
  EXPECT_EQ(words(plan::Operation::kSum, plan::Strategy::kRing),
            "max of 1,000 float32 by ring among 3 workers");
  EXPECT_EQ(words(plan::Operation::kBroadcast, plan::Strategy::kTree),
            "broadcast with root 2 of 1,000 float32 by tree among 3 workers");
  EXPECT_EQ(words(plan::Operation::kReduceScatter, plan::Strategy::kDirect),
            "reduce-scatter (max) of 1,000 float32 by direct among 3 workers");
}

TEST(Nodes, ThatDifferInTheStrategySaySo) {
  const auto by_ring = [](Wanted& wanted) {
    wanted.spec.strategy = plan::Strategy::kRing;
    wanted.spec.shares_on_workers = 0;
  };
  expect_difference(by_ring, "sum of 100 float32 by ring among 3 workers");
}

TEST(Nodes, ThatDifferInTheNumberOfParametersSaySo) {
  expect_difference([](Wanted& wanted) { wanted.spec.parameters = 1'000'000; },
                    "sum of 1,000,000 float32 by");
  expect_difference([](Wanted& wanted) { wanted.spec.parameters = 0; }, "sum of 0 float32 by");
}

TEST(Nodes, ThatDifferInTheTypeSaySo) {
  expect_difference([](Wanted& wanted) { wanted.type = ElementType::kInt32; }, "sum of 100 int32 by");
}

TEST(Nodes, ThatDifferInTheReductionSaySo) {
  expect_difference([](Wanted& wanted) { wanted.reduction = Reduction::kAverage; },
                    "average of 100 float32 by");
  expect_difference([](Wanted& wanted) { wanted.reduction = Reduction::kProduct; },
                    "product of 100 float32 by");
  expect_difference([](Wanted& wanted) { wanted.reduction = Reduction::kMin; }, "min of 100 float32 by");
  expect_difference([](Wanted& wanted) { wanted.reduction = Reduction::kMax; }, "max of 100 float32 by");
}

TEST(Nodes, ThatDifferInTheSharesSaySo) {
  expect_difference([](Wanted& wanted) { wanted.spec.shares_on_workers = 2; },
                    "sum of 100 float32 by parameter-server among 3 workers, shares on 2");
}

TEST(Nodes, ThatDifferInTheServersSaySo) {
  const auto with_server = [](Wanted& wanted) {
    wanted.spec.workers = 2;
    wanted.spec.servers = 1;
    wanted.spec.shares_on_workers = 0;
  };
  expect_difference(with_server, "sum of 100 float32 by parameter-server among 2 workers and 1 server");
}

TEST(Nodes, ThatDifferInTheOrderSaySo) {
  expect_difference(
      [](Wanted& wanted) {
        wanted.spec.order = plan::RingOrder({0, 2, 1});
      },
      std::string(kUsual) + ", ring order #");
}

TEST(Nodes, ThatDifferInTheBordersSaySo) {
  expect_difference([](Wanted& wanted) { wanted.spec.variable_borders = {33}; },
                    std::string(kUsual) + ", variables #");
}

TEST(Nodes, OfWhichOneIsAtABarrierSaySo) {
  const wire::shm::ShmJob job(3);
  job.on_all([&](wire::shm::ShmWire& wire) {
    Runner runner(usual().spec, usual().type, wire);
    Numbers buffer = buffer_for(usual().spec, usual().type);
    for (int i = 0; i < 3; ++i) runner.run(buffer, in_time());
    try {
      if (wire.rank() == 1) {
        wire::barrier(wire, in_time());
      } else {
        runner.run(buffer, in_time());
      }
      ADD_FAILURE() << "rank " << wire.rank() << " should have failed";
    } catch (const Error& error) {
      EXPECT_THAT(error.failure().what,
                  HasSubstr(std::string("rank 1 at a barrier, ranks 0 and 2 at ") + kUsual));
      EXPECT_EQ(error.failure().culprit, 1);
    }
  });
}

TEST(Nodes, WhoseBuffersLieAtDifferentPlacesSaySo) {
  const wire::shm::ShmJob job(3);
  job.on_all([&](wire::shm::ShmWire& wire) {
    const wire::shm::Window window = wire.windows()->make(wire, 4096, in_time());
    Runner runner(usual().spec, usual().type, wire);
    Numbers own = buffer_for(usual().spec, usual().type);
    try {
      runner.run(wire.rank() == 2 ? std::span<std::byte>(own) : window.bytes().first(own.size()), in_time());
      ADD_FAILURE() << "rank " << wire.rank() << " should have failed";
    } catch (const Error& error) {
      EXPECT_THAT(error.failure().what,
                  AllOf(HasSubstr(std::string("rank 2 at ") + kUsual + " in memory of its own"),
                        HasSubstr(std::string("ranks 0 and 1 at ") + kUsual + " in a window")));
    }
  });
}

TEST(Threads, ThatDifferSaySoBeforeTheFirstExchange) {
  wire::threads::InProcessFabric fabric(2);
  std::vector<std::jthread> threads;
  threads.reserve(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      plan::PlanSpec spec;
      spec.workers = 2;
      spec.parameters = 10 + rank;
      Runner runner(spec, ElementType::kFloat32, fabric.wire(rank));
      try {
        runner.prepare(in_time());
        ADD_FAILURE() << "rank " << rank << " should have failed";
      } catch (const Error& error) {
        EXPECT_THAT(error.failure().what, AllOf(HasSubstr("rank 0 at sum of 10 float32 by ring"),
                                                HasSubstr("rank 1 at sum of 11")));
        EXPECT_FALSE(error.failure().culprit);  // nobody knows who is right
      }
    });
  }
}

TEST(Signatures, DifferWheneverTheTasksDo) {
  std::vector<Wanted> all(12, usual());
  all[1].spec.strategy = plan::Strategy::kDirect;
  all[1].spec.shares_on_workers = 0;
  all[2].spec.parameters = 101;
  all[3].type = ElementType::kInt32;
  all[4].reduction = Reduction::kAverage;
  all[5].spec.order = plan::RingOrder({0, 2, 1});
  all[6].spec.order = plan::RingOrder({2, 1, 0});
  all[7].spec.variable_borders = {33};
  all[8].spec.variable_borders = {33, 50};
  all[9].reduction = Reduction::kProduct;
  all[10].reduction = Reduction::kMin;
  all[11].reduction = Reduction::kMax;
  std::set<std::uint64_t> digests;
  for (const Wanted& wanted : all) {
    digests.insert(Task(wanted.spec, wanted.type, wanted.reduction, {}, 0).signature.digest);
  }
  EXPECT_EQ(digests.size(), all.size());
}

TEST(Mix, DependsOnTheOrder) {
  EXPECT_NE(wire::mix(wire::mix(0, 1), 2), wire::mix(wire::mix(0, 2), 1));
  EXPECT_NE(wire::mix(0, 0), wire::mix(wire::mix(0, 0), 0));
}

}  // namespace
}  // namespace trireme::exec
