// Nodes that are about to run different things hear of it before any buffer is touched.
#include "exec/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "exec/exchange_test_util.h"
#include "wire/shm_test_util.h"

namespace trireme {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Wanted {
  PlanSpec spec;
  ElementType type = ElementType::kFloat32;
  Result result = Result::kSum;
};

Wanted usual() {
  Wanted wanted;
  wanted.spec.strategy = Strategy::kParameterServer;
  wanted.spec.workers = 3;
  wanted.spec.parameters = 100;
  wanted.spec.shares_on_workers = 3;
  return wanted;
}

// Rank 1 wants something else. Everybody must say who has what, and leave its buffer alone.
void expect_disagreement(const std::function<void(Wanted&)>& change, const std::string& fact,
                         const std::string& usual_value, const std::string& other_value) {
  SCOPED_TRACE(fact);
  const ShmJob job(3);
  job.on_all([&](ShmWire& wire) {
    Wanted wanted = usual();
    if (wire.rank() == 1) change(wanted);
    Buffer buffer(idx(wanted.spec.parameters * size_of(wanted.type)), std::byte{7});
    const Buffer before = buffer;
    try {
      Runner runner(wanted.spec, wanted.type, wire, wanted.result);
      runner.run(buffer, in_time());
      ADD_FAILURE() << "rank " << wire.rank() << " should have failed";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().cause, Failure::Cause::kMismatch);
      EXPECT_EQ(error.failure().rank, wire.rank());
      EXPECT_EQ(error.failure().culprit, 1);
      EXPECT_EQ(error.failure().op, "before the first exchange");
      EXPECT_THAT(error.failure().what,
                  AllOf(HasSubstr("the nodes differ in " + fact + ": rank 1 has " + other_value),
                        HasSubstr(", ranks 0 and 2 have " + usual_value)));
      EXPECT_FALSE(error.failure().hint.empty());
    }
    EXPECT_EQ(buffer, before);
  });
  EXPECT_EQ(job.segment().first_failure()->cause, Failure::Cause::kMismatch);
}

TEST(Nodes, ThatDifferInTheStrategySaySo) {
  expect_disagreement(
      [](Wanted& wanted) {
        wanted.spec.strategy = Strategy::kRing;
        wanted.spec.shares_on_workers = 0;
      },
      "strategy", "parameter-server", "ring");
}

TEST(Nodes, ThatDifferInTheNumberOfParametersSaySo) {
  expect_disagreement([](Wanted& wanted) { wanted.spec.parameters = 1'000'000; }, "parameters", "100",
                      "1,000,000");
}

TEST(Nodes, ThatDifferInTheTypeSaySo) {
  expect_disagreement([](Wanted& wanted) { wanted.type = ElementType::kInt32; }, "type", "float32", "int32");
}

TEST(Nodes, ThatDifferInTheResultSaySo) {
  expect_disagreement([](Wanted& wanted) { wanted.result = Result::kAverage; }, "result", "sum", "average");
}

TEST(Nodes, ThatDifferInTheSharesSaySo) {
  expect_disagreement([](Wanted& wanted) { wanted.spec.shares_on_workers = 2; }, "shares on workers", "3",
                      "2");
}

TEST(Nodes, ThatDifferInTheServersSaySo) {
  expect_disagreement(
      [](Wanted& wanted) {
        wanted.spec.workers = 2;
        wanted.spec.servers = 1;
        wanted.spec.shares_on_workers = 0;
      },
      "workers", "3", "2");
}

TEST(Nodes, ThatDifferInTheOrderSaySo) {
  expect_disagreement(
      [](Wanted& wanted) {
        wanted.spec.order = RingOrder({0, 2, 1});
      },
      "ring order", "list ", "list ");
}

TEST(Nodes, ThatDifferInTheBordersSaySo) {
  expect_disagreement([](Wanted& wanted) { wanted.spec.variable_borders = {33}; }, "variable borders",
                      "list ", "list ");
}

TEST(Nodes, ThatWantTheSameAgreeAndCountNothing) {
  const ShmJob job(3);
  job.on_all([&](ShmWire& wire) {
    Runner runner(usual().spec, usual().type, wire);
    runner.prepare(in_time());
    const Counters before = wire.counters();
    runner.prepare(in_time());  // does nothing the second time
    EXPECT_EQ(wire.counters(), before);
  });
}

TEST(Nodes, OfWhichOneDoesNotComeToAgreeNameIt) {
  const ShmJob job(2);
  Wanted wanted = usual();
  wanted.spec.workers = 2;
  wanted.spec.shares_on_workers = 2;
  Runner runner(wanted.spec, wanted.type, job.wire(0));
  try {
    runner.prepare(Deadline::after(std::chrono::milliseconds(30)));
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kTimeout);
    EXPECT_EQ(error.failure().culprit, 1);
    EXPECT_EQ(error.failure().op, "before the first exchange");
  }
}

TEST(Nodes, ThatAreMoreThanTwoGroupsAreAllNamed) {
  const ShmJob job(3);
  job.on_all([&](ShmWire& wire) {
    Wanted wanted = usual();
    wanted.spec.parameters = 100 + wire.rank();
    Runner runner(wanted.spec, wanted.type, wire);
    try {
      runner.prepare(in_time());
      ADD_FAILURE() << "it should have thrown";
    } catch (const Error& error) {
      EXPECT_THAT(error.failure().what,
                  HasSubstr("parameters: rank 0 has 100, rank 1 has 101, rank 2 has 102"));
      EXPECT_FALSE(error.failure().culprit);  // nobody knows who is right
    }
  });
}

TEST(Facts, DifferWheneverTheTasksDo) {
  std::vector<Wanted> all(9, usual());
  all[1].spec.strategy = Strategy::kDirect;
  all[2].spec.parameters = 101;
  all[3].type = ElementType::kInt32;
  all[4].result = Result::kAverage;
  all[5].spec.order = RingOrder({0, 2, 1});
  all[6].spec.order = RingOrder({2, 1, 0});
  all[7].spec.variable_borders = {33};
  all[8].spec.variable_borders = {33, 50};
  std::set<Facts> facts;
  for (const Wanted& wanted : all) facts.insert(facts_of(wanted.spec, wanted.type, wanted.result));
  EXPECT_EQ(facts.size(), all.size());
}

TEST(Mix, DependsOnTheOrder) {
  EXPECT_NE(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
  EXPECT_NE(mix(0, 0), mix(mix(0, 0), 0));
}

}  // namespace
}  // namespace trireme
