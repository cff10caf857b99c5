#include "rounds/update/share_norm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "exec/fabrics_test_util.h"
#include "optim/norm.h"
#include "plan/share.h"
#include "plan/strategies/closed_form.h"

namespace trireme::rounds {
namespace {

std::vector<float> normal_numbers(std::int64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(idx(count));
  for (float& number : numbers) number = normal(random);
  return numbers;
}

// Every node knows its own share alone, and all get the sums of who knows everything. There are two buckets:
// the second has half as many elements. The sum is the only exchange, and the wire counts what its plan says.
void expect_same_sums(exec::Fabric fabric, const plan::PlanSpec& spec) {
  std::vector<plan::PlanSpec> specs = {spec, spec};
  specs[1].parameters = spec.parameters / 2;
  const std::vector<float> all = normal_numbers(spec.parameters);
  std::vector<double> expected;
  std::int64_t numbers = 0;
  for (const plan::PlanSpec& one : specs) {
    std::vector<double> sums(idx(optim::norm_blocks(one.parameters)));
    optim::sum_squares(std::span(all).first(idx(one.parameters)), sums);
    expected.insert(expected.end(), sums.begin(), sums.end());
    numbers += norm_numbers(one);
  }
  std::atomic<std::int64_t> messages = 0;
  exec::run_on(fabric, spec.nodes(), [&](wire::Wire& wire) {
    std::vector<std::vector<float>> known(specs.size());
    std::vector<BucketPlan> buckets;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      known[i].assign(idx(specs[i].parameters), 1e30F);
      if (const std::int32_t held = plan::share_held_by(specs[i], wire.rank()); held >= 0) {
        const plan::Slice slice = plan::share(specs[i], held);
        std::copy_n(all.begin() + slice.first, slice.count, known[i].begin() + slice.first);
      }
      buckets.push_back({.spec = specs[i], .bytes = std::as_writable_bytes(std::span(known[i]))});
    }
    ShareSum sum(wire, std::chrono::seconds(60));
    EXPECT_EQ(block_sums_of_shares(sum, wire.rank(), buckets), expected);
    EXPECT_EQ(sum.counted(), sum.planned());
    messages += sum.counted().sent_messages;
  });
  const auto kind = fabric == exec::Fabric::kThreads ? wire::WireKind::kThreads : wire::WireKind::kShm;
  const plan::PlanSpec planned = share_sum_plan(kind, spec.nodes(), numbers);
  EXPECT_EQ(messages, plan::closed_form(planned).messages);
}

TEST(ShareNorm, HasTheBitsOfWhoKnowsAllWhereverSharesAreCut) {
  for (const std::int64_t p : {1, 2, 16, 4095, 4096, 4097, 8192, 9000, 12'288, 20'001, 100'000}) {
    for (const std::int32_t count : {1, 2, 3, 7}) {
      plan::PlanSpec spec;
      spec.strategy = plan::Strategy::kParameterServer;
      spec.workers = 2;
      spec.parameters = p;
      spec.servers = count;
      SCOPED_TRACE(exec::in_words(spec));
      expect_same_sums(exec::Fabric::kThreads, spec);
      spec.variable_borders = {p / 3, p / 2};
      spec.whole_variables = true;
      expect_same_sums(exec::Fabric::kThreads, spec);
      spec.whole_variables = false;
      spec.servers = 0;
      spec.workers = spec.shares_on_workers = count;
      if (count > 1) expect_same_sums(exec::Fabric::kShmThreads, spec);
    }
  }
}

}  // namespace
}  // namespace trireme::rounds
