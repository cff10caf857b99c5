// One body for every wire, strategy, number of workers, type, reduction and awkward size: right values, the
// same bits, counters equal to the tally.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "base/trials_test_util.h"
#include "exec/conformance_test_util.h"
#include "exec/exchange_test_util.h"
#include "exec/fabrics_test_util.h"
#include "exec/reduction_cases_test_util.h"

namespace trireme::exec {
namespace {

using Setting = std::tuple<Fabric, Memory, std::int32_t>;

class Conformance : public testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] static Fabric fabric() { return std::get<0>(GetParam()); }
  [[nodiscard]] static Memory memory() { return std::get<1>(GetParam()); }
  [[nodiscard]] static std::int32_t workers() { return std::get<2>(GetParam()); }
};

struct Exchanged {
  std::vector<Numbers> buffers;          // by rank
  std::vector<wire::Counters> counters;  // by rank
};

// Exchanges the buffers `times` times, each time from the beginning, and returns what the last time gave.
Exchanged exchange(Fabric fabric, Memory memory, const plan::PlanSpec& spec, ElementType type,
                   Reduction reduction, const std::vector<Numbers>& brought, int times = 1) {
  const std::size_t bytes = buffer_for(spec, type).size();
  const SharedBytes results(idx(spec.nodes()) * bytes);
  const SharedBytes counters(idx(spec.nodes()) * sizeof(wire::Counters));
  run_on(fabric, spec.nodes(), [&](wire::Wire& wire) {
    const std::size_t rank = idx(wire.rank());
    const NodeExchanged own = exchange_on(wire, memory, spec, type, reduction, brought[rank], times);
    std::copy(own.buffer.begin(), own.buffer.end(), results.data() + rank * bytes);
    std::memcpy(counters.data() + rank * sizeof(wire::Counters), &own.counters, sizeof(wire::Counters));
  });
  Exchanged exchanged;
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    const std::byte* first = results.data() + idx(rank) * bytes;
    exchanged.buffers.emplace_back(first, first + bytes);
    std::memcpy(&exchanged.counters.emplace_back(), counters.data() + idx(rank) * sizeof(wire::Counters),
                sizeof(wire::Counters));
  }
  return exchanged;
}

void expect_tally(const plan::PlanSpec& spec, ElementType type, const std::vector<wire::Counters>& counters) {
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    EXPECT_EQ(counters[idx(rank)], tally_of(spec, rank, type)) << in_words(spec) << ", rank " << rank;
  }
}

TEST_P(Conformance, GivesTheRightSumAndCountsEveryMessage) {
  for (const std::int64_t p : {0, 1, 2, 5, 17, 1000}) {
    for (const plan::PlanSpec& spec : all_specs(workers(), p)) {
      SCOPED_TRACE(in_words(spec));
      const ElementType type = all_element_types()[idx(p) % all_element_types().size()];
      const Exchanged after =
          exchange(fabric(), memory(), spec, type, Reduction::kSum, small_numbers(spec, type));
      expect_on_all_workers(spec, after.buffers, sum_of_small_numbers(spec, type));
      expect_tally(spec, type, after.counters);
    }
  }
}

TEST_P(Conformance, GivesTheResultOfEveryTypeAndReduction) {
  auto seed = static_cast<std::uint64_t>(fabric()) * 1000 + static_cast<std::uint64_t>(memory()) * 500 +
              idx(workers()) * 50;
  for (const plan::PlanSpec& spec : all_specs(workers(), 0)) {
    const std::vector<ReductionCase> cases = reduction_cases(spec, ++seed);
    run_on(fabric(), spec.nodes(), [&](wire::Wire& wire) { expect_results(wire, memory(), cases); });
  }
}

// Larger than a stage and a ring of bytes, in pieces that do not come out even.
TEST_P(Conformance, GivesTheSameBitsOnEveryWireForLargeBuffers) {
  const std::int64_t p = 200'003;
  const int one_in = one_trial_in(1, 3);
  int trial = static_cast<int>(workers());
  for (const plan::PlanSpec& spec : all_specs(workers(), p)) {
    if (++trial % one_in != 0) continue;
    SCOPED_TRACE(in_words(spec));
    const std::vector<Numbers> brought = rough_numbers(spec, ElementType::kFloat32, 7);
    std::vector<Numbers> in_process = brought;
    run_on_threads(spec, ElementType::kFloat32, spans(in_process), Reduction::kAverage, in_time());
    const Exchanged after =
        exchange(fabric(), memory(), spec, ElementType::kFloat32, Reduction::kAverage, brought, 2);
    for (Rank rank = 0; rank < spec.workers; ++rank) {
      EXPECT_TRUE(are_same(after.buffers[idx(rank)], in_process[idx(rank)])) << "rank " << rank;
    }
    expect_tally(spec, ElementType::kFloat32, after.counters);
  }
}

// The sum of two NaNs is the first; so not even they may be added in another order on another worker.
TEST_P(Conformance, LeavesTheSameNaNOnAllWorkers) {
  for (const plan::PlanSpec& spec : all_specs(workers(), 1000)) {
    SCOPED_TRACE(in_words(spec));
    std::vector<Numbers> brought;
    for (Rank rank = 0; rank < spec.nodes(); ++rank) {
      const std::vector<std::uint32_t> bits(1000, 0x7fc0'0001U + static_cast<std::uint32_t>(rank));
      const auto bytes = std::as_bytes(std::span(bits));
      brought.emplace_back(bytes.begin(), bytes.end());
    }
    const Exchanged after =
        exchange(fabric(), memory(), spec, ElementType::kFloat32, Reduction::kSum, brought);
    for (Rank rank = 1; rank < spec.workers; ++rank) {
      EXPECT_TRUE(are_same(after.buffers[idx(rank)], after.buffers[0])) << "rank " << rank;
    }
  }
}

std::string setting_name(const testing::TestParamInfo<Setting>& tested) {
  const auto [fabric, memory, workers] = tested.param;
  return name(fabric) + (memory == Memory::kWindow ? "_windows_" : "_private_") + std::to_string(workers);
}

INSTANTIATE_TEST_SUITE_P(WithoutWindows, Conformance,
                         testing::Combine(testing::Values(Fabric::kThreads, Fabric::kShmThreads,
                                                          Fabric::kShmProcesses, Fabric::kTcpThreads,
                                                          Fabric::kTcpProcesses, Fabric::kMixedThreads),
                                          testing::Values(Memory::kPrivate), testing::Values(1, 2, 3, 4, 7)),
                         setting_name);
INSTANTIATE_TEST_SUITE_P(InWindows, Conformance,
                         testing::Combine(testing::Values(Fabric::kShmThreads, Fabric::kShmProcesses),
                                          testing::Values(Memory::kWindow), testing::Values(1, 2, 3, 4, 7)),
                         setting_name);

}  // namespace
}  // namespace trireme::exec
