#include "server/share_norm.h"

#include <gtest/gtest.h>

#include <random>

#include "exec/fabrics_test_util.h"
#include "optim/norm.h"
#include "plan/share.h"

namespace trireme {
namespace {

// Every node knows its own share alone, and all get the sums of who knows everything.
void expect_same_sums(Fabric fabric, const PlanSpec& spec) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> all(idx(spec.parameters));
  for (float& number : all) number = normal(random);
  std::vector<double> expected(idx(norm_blocks(spec.parameters)));
  sum_squares(all, expected);
  run_on(fabric, spec.nodes(), [&](Wire& wire) {
    std::vector<float> known(all.size(), 1e30F);
    if (const std::int32_t held = share_held_by(spec, wire.rank()); held >= 0) {
      const Slice slice = share(spec, held);
      std::copy_n(all.begin() + slice.first, slice.count, known.begin() + slice.first);
    }
    EXPECT_EQ(block_sums_of_shares(wire, spec, known, in_time()), expected);
  });
}

TEST(ShareNorm, HasTheBitsOfWhoKnowsAllWhereverSharesAreCut) {
  for (const std::int64_t p : {1, 2, 16, 4095, 4096, 4097, 8192, 9000, 12'288, 20'001, 100'000}) {
    for (const std::int32_t count : {1, 2, 3, 7}) {
      PlanSpec spec;
      spec.strategy = Strategy::kParameterServer;
      spec.workers = 2;
      spec.parameters = p;
      spec.servers = count;
      SCOPED_TRACE(in_words(spec));
      expect_same_sums(Fabric::kThreads, spec);
      spec.servers = 0;
      spec.workers = spec.shares_on_workers = count;
      if (count > 1) expect_same_sums(Fabric::kShmThreads, spec);
    }
  }
}

}  // namespace
}  // namespace trireme
