#include "cli/bench/timed_operation.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/strategies/operations.h"

namespace trireme::cli {
namespace {

using plan::Operation;

TEST(TimedOperation, HasEachOperationOfAPlanAndThePingPong) {
  for (const Operation operation : plan::all_operations()) {
    EXPECT_EQ(parse_timed_operation(bench_name(operation)), operation);
  }
  EXPECT_EQ(parse_timed_operation("ping-pong"), kPingPong);
  EXPECT_EQ(bench_names().size(), plan::all_operations().size() + 1);
}

TEST(TimedOperation, IsFoundByTheNameThatExplainHasForIt) {
  try {
    (void)parse_timed_operation("sum");
    FAIL() << "that is no name";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "bench cannot time 'sum'; try trireme bench allreduce");
  }
}

TEST(TimedOperation, HasAtLeastOneNumberForEachChunk) {
  EXPECT_EQ(fewest_bytes(Operation::kSum, 4), 4);
  EXPECT_EQ(fewest_bytes(Operation::kBroadcast, 4), 4);
  EXPECT_EQ(fewest_bytes(kPingPong, 4), 4);
  for (const Operation operation : {Operation::kGather, Operation::kAllGather, Operation::kScatter,
                                    Operation::kReduceScatter, Operation::kAllToAll}) {
    EXPECT_EQ(fewest_bytes(operation, 4), 16) << plan::name(operation);
  }
}

// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
TEST(TimedOperation, KnowsTheFactorsOfNcclTests) {
  EXPECT_EQ(part_on_link(Operation::kSum, 4), 1.5);
  EXPECT_EQ(part_on_link(Operation::kBroadcast, 4), 1);
  EXPECT_EQ(part_on_link(Operation::kAllGather, 4), 0.75);
  EXPECT_EQ(part_on_link(Operation::kReduceScatter, 4), 0.75);
  EXPECT_EQ(part_on_link(Operation::kAllToAll, 4), 0.75);
  EXPECT_EQ(part_on_link(kPingPong, 2), 1);
}

}  // namespace
}  // namespace trireme::cli
