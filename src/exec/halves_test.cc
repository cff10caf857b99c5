#include <gtest/gtest.h>

#include "exec/fabrics_test_util.h"
#include "exec/runner.h"
#include "plan/count.h"
#include "plan/share.h"

namespace trireme::exec {
namespace {

class HalvesTest : public testing::TestWithParam<Fabric> {};

std::vector<plan::PlanSpec> specs_with_holders(std::int32_t n, std::int64_t p) {
  std::vector<plan::PlanSpec> specs = all_specs(n, p);
  std::erase_if(specs,
                [](const plan::PlanSpec& spec) { return spec.strategy != plan::Strategy::kParameterServer; });
  return specs;
}

// Whoever holds a share finds the average there after the first half, changes it, and all workers have that
// after the second.
void run_halves(wire::Wire& wire, const plan::PlanSpec& spec, bool in_window) {
  Runner to(spec, ElementType::kFloat32, wire, Reduction::kAverage, kToHolders);
  Runner from(spec, ElementType::kFloat32, wire, Reduction::kSum, kFromHolders);
  Runner both(spec, ElementType::kFloat32, wire);
  wire::Counters halves = to.tally();
  halves += from.tally();
  EXPECT_EQ(halves, both.tally());
  to.divide_by(10);
  const std::size_t bytes = idx(spec.parameters) * sizeof(float);
  wire::shm::Window window;
  std::vector<float> own(in_window ? 0 : idx(spec.parameters));
  std::span<float> numbers(own);
  if (in_window) {
    window = wire.windows()->make(wire, bytes, in_time());
    numbers = {reinterpret_cast<float*>(window.bytes().data()), idx(spec.parameters)};
  }
  const std::span<std::byte> buffer = std::as_writable_bytes(numbers);
  const bool is_worker = wire.rank() < spec.workers;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(10 * i);
    to.run(buffer, in_time());
    if (const std::int32_t held = plan::share_held_by(spec, wire.rank()); held >= 0) {
      const plan::Slice slice = plan::share(spec, held);
      for (std::int64_t i = slice.first; i < slice.end(); ++i) {
        EXPECT_EQ(numbers[idx(i)], static_cast<float>(i * spec.workers));
        numbers[idx(i)] += 0.5F;
      }
    }
    from.run(buffer, in_time());
    for (std::size_t i = 0; is_worker && i < numbers.size(); ++i) {
      ASSERT_EQ(numbers[i], static_cast<float>(i * idx(spec.workers)) + 0.5F) << i;
    }
  }
}

TEST_P(HalvesTest, LeaveTheSumsWithTheirHoldersInBetween) {
  for (const std::int64_t p : {std::int64_t{3}, std::int64_t{1000}, std::int64_t{200'000}}) {
    for (const plan::PlanSpec& spec : specs_with_holders(3, p)) {
      SCOPED_TRACE(in_words(spec));
      run_on(GetParam(), spec.nodes(), [&](wire::Wire& wire) {
        run_halves(wire, spec, false);
        if (wire.windows() != nullptr) run_halves(wire, spec, true);
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HalvesTest,
                         testing::Values(Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads,
                                         Fabric::kMixedThreads),
                         [](const auto& param) { return name(param.param); });

TEST(Halves, AreOfPlansWithHoldersAlone) {
  wire::threads::InProcessFabric fabric(2);
  plan::PlanSpec spec;
  spec.workers = 2;
  spec.parameters = 10;
  EXPECT_THROW(Runner(spec, ElementType::kFloat32, fabric.wire(0), Reduction::kSum, kToHolders), Error);
}

}  // namespace
}  // namespace trireme::exec
