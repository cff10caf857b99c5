#include "rounds/worker_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "exec/fabrics_test_util.h"

namespace trireme::rounds {
namespace {

Deadline soon() { return Deadline::after(std::chrono::seconds(20)); }

TEST(SumOverWorkers, LeavesServersOut) {
  for (const exec::Fabric fabric :
       {exec::Fabric::kThreads, exec::Fabric::kShmThreads, exec::Fabric::kTcpThreads}) {
    exec::run_on(fabric, 4, [](wire::Wire& wire) {
      std::array<double, 2> numbers = {1.0 * wire.rank(), 0.25};
      sum_over_workers(wire, 3, numbers, soon());
      EXPECT_EQ(numbers, (std::array<double, 2>{0 + 1 + 2, 0.75}));
    });
  }
}

// More than fits into what nodes share at a time.
TEST(SumOverWorkers, TakesManyNumbers) {
  exec::run_on(exec::Fabric::kShmThreads, 2, [](wire::Wire& wire) {
    std::vector<double> numbers(100'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) + wire.rank();
    sum_over_workers(wire, 2, numbers, soon());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(numbers[i], 2 * static_cast<double>(i) + 1) << i;
    }
  });
}

}  // namespace
}  // namespace trireme::rounds
