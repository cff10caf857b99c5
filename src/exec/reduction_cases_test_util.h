// Exchanges of every type and reduction whose results are known exactly, whatever the order.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/trials_test_util.h"
#include "exec/conformance_test_util.h"
#include "exec/exchange_test_util.h"
#include "exec/kernels/reference_test_util.h"

namespace trireme::exec {

struct ReductionCase {
  plan::PlanSpec spec;
  ElementType type;
  Reduction reduction;
  std::vector<Numbers> brought;  // by rank; that of servers must not count
  Numbers expected;              // on every worker
};

/// Small powers of two with either sign, of which as many as there are workers can be multiplied exactly, or
/// small multiples of the number of workers, whose sum and average are exact.
inline double exact_number(const plan::PlanSpec& spec, Reduction reduction, Rank rank, std::int64_t i) {
  const double small = small_number(rank, i);
  if (reduction != Reduction::kProduct) return spec.workers * small;
  return std::ldexp(small < 0 ? -1 : 1, static_cast<int>(small) % 2);
}

inline ReductionCase reduction_case(const plan::PlanSpec& spec, ElementType type, Reduction reduction,
                                    std::uint64_t seed) {
  ReductionCase made{spec, type, reduction, {}, buffer_for(spec, type)};
  const bool rounds = !is_integer(type) && reduction != Reduction::kMin && reduction != Reduction::kMax;
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    Numbers& own = made.brought.emplace_back(awkward_numbers(type, idx(spec.parameters), seed + idx(rank)));
    for (std::int64_t i = 0; rounds && rank < spec.workers && i < spec.parameters; ++i)
      put_number(own, type, i, exact_number(spec, reduction, rank, i));
  }
  // Of a single worker even NaN may stay as it is.
  if (spec.workers == 1) made.brought[0] = reduced_plainly(type, reduction, {made.brought[0]});
  const std::vector<Numbers> counted(made.brought.begin(), made.brought.begin() + spec.workers);
  made.expected = reduced_plainly(type, reduction, counted);
  for (std::int64_t i = 0; reduction == Reduction::kAverage && i < spec.parameters; ++i) {
    double total = 0;
    for (Rank rank = 0; rank < spec.workers; ++rank) total += small_number(rank, i);
    put_number(made.expected, type, i, total);
  }
  return made;
}

/// A sample of all types, reductions and awkward sizes; all of them by `make test-long`.
inline std::vector<ReductionCase> reduction_cases(const plan::PlanSpec& strategy, std::uint64_t seed) {
  TestBits random(seed);
  const auto one_in = static_cast<std::uint64_t>(one_trial_in(60, 150));
  std::vector<ReductionCase> cases;
  for (const ElementType type : all_element_types()) {
    for (const Reduction reduction : all_reductions()) {
      if (reduction == Reduction::kAverage && is_integer(type)) continue;
      for (const std::int64_t p : {0, 1, 2, 5, 17, 63, 1000, 100'003}) {
        if (random.next() % one_in != 0) continue;
        plan::PlanSpec spec = strategy;
        spec.parameters = p;
        cases.push_back(reduction_case(spec, type, reduction, random.next()));
      }
    }
  }
  return cases;
}

/// One node's part in all of them.
inline void expect_results(wire::Wire& wire, Memory memory, const std::vector<ReductionCase>& cases) {
  for (const ReductionCase& tried : cases) {
    const NodeExchanged after = exchange_on(wire, memory, tried.spec, tried.type, tried.reduction,
                                            tried.brought[idx(wire.rank())], 1);
    SCOPED_TRACE(in_words(tried.spec) + ": " + std::string(name(tried.reduction)) + " of " +
                 std::string(name(tried.type)) + " on rank " + std::to_string(wire.rank()));
    EXPECT_TRUE(tried.spec.is_server(wire.rank()) || after.buffer == tried.expected);
    EXPECT_EQ(after.counters, tally_of(tried.spec, wire.rank(), tried.type));
  }
}

}  // namespace trireme::exec
