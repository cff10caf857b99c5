// One order of addition: all-to-all, parameter-server, ring and direct give the same bits, and they are those
// of the written rule: chunk k is added up, or multiplied, in ring order starting at ring position k.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "exec/exchange_test_util.h"
#include "exec/kernels/reference_test_util.h"

#include "plan/strategies/strategies.h"

namespace trireme::exec {
namespace {

// Independent of src/plan and of the kernels: chunk borders by division, one element after another.
template <typename T>
Numbers reduce_by_the_rule(const plan::PlanSpec& spec, const std::vector<Numbers>& inputs,
                           Reduction reduction) {
  Numbers answer(inputs[0].size());
  const std::int64_t n = spec.workers;
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = k * spec.parameters / n; i < (k + 1) * spec.parameters / n; ++i) {
      const auto at = [&](std::int64_t j) {
        return get<T>(inputs[idx(spec.order.rank_at(static_cast<Rank>((k + j) % n)))], i);
      };
      T all = at(0);
      for (std::int64_t j = 1; j < n; ++j) all = combined_plainly(reduction, all, at(j));
      put(answer, i, reduction == Reduction::kAverage ? all / static_cast<T>(n) : all);
    }
  }
  return answer;
}

Numbers add_halves_by_the_rule(const plan::PlanSpec& spec, ElementType type,
                               const std::vector<Numbers>& inputs) {
  const HalfFormat format = HalfFormat::of(type);
  plan::PlanSpec wide_spec = spec;
  std::vector<Numbers> wide(inputs.size(), buffer_for(spec, ElementType::kFloat32));
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    for (std::int64_t i = 0; i < spec.parameters; ++i) {
      put(wide[rank], i, format.widen(get<std::uint16_t>(inputs[rank], i)));
    }
  }
  const Numbers sum = reduce_by_the_rule<float>(wide_spec, wide, Reduction::kSum);
  Numbers answer(inputs[0].size());
  for (std::int64_t i = 0; i < spec.parameters; ++i) put(answer, i, format.narrow(get<float>(sum, i)));
  return answer;
}

std::vector<plan::PlanSpec> ring_ordered_specs(std::int32_t n, std::int64_t p, const plan::RingOrder& order) {
  std::vector<plan::PlanSpec> specs;
  for (plan::PlanSpec& spec : all_specs(n, p)) {
    if (!plan::follows_ring_order(spec.strategy)) continue;
    spec.order = order;
    specs.push_back(std::move(spec));
  }
  return specs;
}

plan::RingOrder shuffled_order(std::int32_t n, std::uint64_t seed) {
  TestBits random(seed);
  std::vector<Rank> ranks(idx(n));
  std::iota(ranks.begin(), ranks.end(), 0);
  for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random.next() % i]);
  return plan::RingOrder(ranks);
}

template <typename T>
void expect_same_bits(ElementType type, Reduction reduction) {
  for (std::int32_t n = 2; n <= 9; ++n) {
    for (const std::int64_t p : {1, n - 1, n, n + 1, 7, 100, 1009}) {
      for (const plan::RingOrder& order :
           {plan::RingOrder(), shuffled_order(n, static_cast<std::uint64_t>(n))}) {
        for (const plan::PlanSpec& spec : ring_ordered_specs(n, p, order)) {
          const std::vector<Numbers> inputs = rough_numbers(spec, type, 5);
          const Numbers expected = reduce_by_the_rule<T>(spec, inputs, reduction);
          expect_on_all_workers(spec, exchanged(spec, type, inputs, reduction), expected);
        }
      }
    }
  }
}

TEST(SameBits, OfFloat32Sums) { expect_same_bits<float>(ElementType::kFloat32, Reduction::kSum); }
TEST(SameBits, OfFloat64Sums) { expect_same_bits<double>(ElementType::kFloat64, Reduction::kSum); }
TEST(SameBits, OfFloat32Averages) { expect_same_bits<float>(ElementType::kFloat32, Reduction::kAverage); }
TEST(SameBits, OfFloat64Averages) { expect_same_bits<double>(ElementType::kFloat64, Reduction::kAverage); }
TEST(SameBits, OfFloat32Products) { expect_same_bits<float>(ElementType::kFloat32, Reduction::kProduct); }
TEST(SameBits, OfFloat64Products) { expect_same_bits<double>(ElementType::kFloat64, Reduction::kProduct); }

// Without this the tests above could pass with any order.
TEST(SameBits, DependOnTheOrder) {
  plan::PlanSpec spec = ring_ordered_specs(5, 1000, plan::RingOrder()).front();
  const std::vector<Numbers> inputs = rough_numbers(spec, ElementType::kFloat32, 5);
  const Numbers in_order = reduce_by_the_rule<float>(spec, inputs, Reduction::kSum);
  spec.order = shuffled_order(5, 1);
  EXPECT_NE(reduce_by_the_rule<float>(spec, inputs, Reduction::kSum), in_order);
}

TEST(SameBits, OfHalvesWhereverAllContributionsMeet) {
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBFloat16}) {
    for (const plan::PlanSpec& spec : ring_ordered_specs(5, 203, shuffled_order(5, 2))) {
      if (spec.strategy == plan::Strategy::kRing) continue;  // rounds at each hop
      const std::vector<Numbers> inputs = rough_numbers(spec, type, 6);
      expect_on_all_workers(spec, exchanged(spec, type, inputs), add_halves_by_the_rule(spec, type, inputs));
    }
  }
}

// Other strategies declare another order; that it is always the same one, and that all workers agree, is
// promised.
TEST(SameBits, OfEveryStrategyOnAllWorkersAndInEveryRun) {
  for (const std::int32_t n : {2, 3, 4, 6, 8}) {
    for (const plan::PlanSpec& spec : all_specs(n, 515)) {
      const std::vector<Numbers> inputs = rough_numbers(spec, ElementType::kFloat32, 7);
      const std::vector<Numbers> once = exchanged(spec, ElementType::kFloat32, inputs, Reduction::kAverage);
      expect_on_all_workers(spec, once, once[0]);
      EXPECT_EQ(exchanged(spec, ElementType::kFloat32, inputs, Reduction::kAverage), once) << in_words(spec);
    }
  }
}

TEST(SameBits, AreThoseOfTheRuleForAnySizeAndOrder) {
  EXPECT_TRUE(rc::check("the bits are those of the rule", [] {
    const auto n = *rc::gen::inRange<std::int32_t>(1, 10);
    const auto p = *rc::gen::inRange<std::int64_t>(0, 400);
    const plan::RingOrder order = shuffled_order(n, *rc::gen::arbitrary<std::uint64_t>());
    const plan::PlanSpec spec = *rc::gen::elementOf(ring_ordered_specs(n, p, order));
    const Reduction reduction = *rc::gen::element(Reduction::kSum, Reduction::kAverage, Reduction::kProduct);
    const std::vector<Numbers> inputs =
        rough_numbers(spec, ElementType::kFloat32, *rc::gen::arbitrary<std::uint64_t>());
    const std::vector<Numbers> after = exchanged(spec, ElementType::kFloat32, inputs, reduction);
    const Numbers expected = reduce_by_the_rule<float>(spec, inputs, reduction);
    for (Rank rank = 0; rank < n; ++rank) RC_ASSERT(are_same(after[idx(rank)], expected));
  }));
}

}  // namespace
}  // namespace trireme::exec
