#include "rounds/share_norm.h"

#include <gtest/gtest.h>

#include <random>

#include "exec/fabrics_test_util.h"
#include "optim/norm.h"
#include "plan/share.h"

namespace trireme::rounds {
namespace {

// Every node knows its own share alone, and all get the sums of who knows everything.
void expect_same_sums(exec::Fabric fabric, const plan::PlanSpec& spec) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> all(idx(spec.parameters));
  for (float& number : all) number = normal(random);
  std::vector<double> expected(idx(optim::norm_blocks(spec.parameters)));
  optim::sum_squares(all, expected);
  exec::run_on(fabric, spec.nodes(), [&](wire::Wire& wire) {
    std::vector<float> known(all.size(), 1e30F);
    if (const std::int32_t held = plan::share_held_by(spec, wire.rank()); held >= 0) {
      const plan::Slice slice = plan::share(spec, held);
      std::copy_n(all.begin() + slice.first, slice.count, known.begin() + slice.first);
    }
    EXPECT_EQ(block_sums_of_shares(wire, spec, known, exec::in_time()), expected);
  });
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
      spec.servers = 0;
      spec.workers = spec.shares_on_workers = count;
      if (count > 1) expect_same_sums(exec::Fabric::kShmThreads, spec);
    }
  }
}

}  // namespace
}  // namespace trireme::rounds
