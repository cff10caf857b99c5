// Nodes that run exchanges of the same size in another order, or of another type, after these have gone well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "exec/fabrics_test_util.h"
#include "exec/runner.h"

namespace trireme::exec {
namespace {

using testing::HasSubstr;

plan::PlanSpec ring_of(Rank workers, std::int64_t parameters) {
  plan::PlanSpec spec;
  spec.strategy = plan::Strategy::kRing;
  spec.workers = workers;
  spec.parameters = parameters;
  return spec;
}

class SwappedExchanges : public testing::TestWithParam<Fabric> {};

// Runs both together, then rank 1 the other way round; nobody may take one for the other.
void run_swapped(wire::Wire& wire, Runner& one, Runner& other, std::atomic<int>& mismatches) {
  Numbers buffer(4000);
  one.run(buffer, in_time());
  other.run(buffer, in_time());
  try {
    (wire.rank() == 1 ? other : one).run(buffer, in_time());
    (wire.rank() == 1 ? one : other).run(buffer, in_time());
    ADD_FAILURE() << "rank " << wire.rank() << " has noticed nothing";
  } catch (const Error& error) {
    if (error.failure().cause == Failure::Cause::kMismatch) ++mismatches;
    EXPECT_THAT(error.what(), HasSubstr("rank 1"));
  }
}

TEST_P(SwappedExchanges, AreToldApartThoughTheirSizesAreTheSame) {
  std::atomic<int> mismatches = 0;
  run_on(GetParam(), 3, [&](wire::Wire& wire) {
    Runner sum(ring_of(3, 1000), ElementType::kFloat32, wire, Reduction::kSum);
    Runner average(ring_of(3, 1000), ElementType::kFloat32, wire, Reduction::kAverage);
    run_swapped(wire, sum, average, mismatches);
  });
  EXPECT_GT(mismatches, 0);
}

TEST_P(SwappedExchanges, AreToldApartThoughOnlyTheirTypesDiffer) {
  std::atomic<int> mismatches = 0;
  run_on(GetParam(), 3, [&](wire::Wire& wire) {
    Runner floats(ring_of(3, 1000), ElementType::kFloat32, wire);
    Runner integers(ring_of(3, 1000), ElementType::kInt32, wire);
    run_swapped(wire, floats, integers, mismatches);
  });
  EXPECT_GT(mismatches, 0);
}

INSTANTIATE_TEST_SUITE_P(Wires, SwappedExchanges,
                         testing::Values(Fabric::kShmThreads, Fabric::kTcpThreads, Fabric::kMixedThreads),
                         [](const auto& tested) { return name(tested.param); });

}  // namespace
}  // namespace trireme::exec
