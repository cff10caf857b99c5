// Any spec that `check` accepts, for property tests.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {

/// A spec with the given strategy and up to `most_workers`, in any ring order, with any servers, variables
/// and hosts. Call it inside a property.
inline PlanSpec any_spec_of(Strategy strategy, std::int32_t most_workers) {
  const auto n = *rc::gen::inRange<std::int32_t>(1, most_workers + 1);
  const auto below = *rc::gen::element<std::int64_t>(std::int64_t{2} * n, 1000, std::int64_t{1} << 40);
  const auto p = *rc::gen::inRange<std::int64_t>(0, below);
  PlanSpec spec = spec_of(strategy, n, p);
  if (strategy == Strategy::kParameterServer) {
    if (*rc::gen::arbitrary<bool>()) {
      spec.servers = *rc::gen::inRange(1, 20);
    } else {
      spec.shares_on_workers = *rc::gen::inRange(1, n + 1);
    }
    spec.variable_borders =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, p + 1));
    std::sort(spec.variable_borders.begin(), spec.variable_borders.end());
    spec.whole_variables = *rc::gen::arbitrary<bool>();
  }
  if (strategy == Strategy::kHierarchical) {
    std::vector<std::int32_t> divisors;
    for (std::int32_t d = 1; d <= n; ++d) {
      if (n % d == 0) divisors.push_back(d);
    }
    spec.hosts = *rc::gen::elementOf(divisors);
  }
  if (follows_ring_order(strategy) && *rc::gen::arbitrary<bool>()) {
    spec.order = shuffled_order(n, *rc::gen::arbitrary<std::uint32_t>());
  }
  RC_LOG() << in_words(spec) << '\n';
  return spec;
}

/// Another operation than a sum, by any of its strategies, from any root and in any ring order.
inline PlanSpec any_operation(std::int32_t most_workers) {
  const auto operation =
      *rc::gen::elementOf(std::vector(all_operations().begin() + 1, all_operations().end()));
  const auto strategy = *rc::gen::elementOf(strategies_of(operation));
  const auto n = *rc::gen::inRange<std::int32_t>(1, most_workers + 1);
  const auto below = *rc::gen::element<std::int64_t>(std::int64_t{2} * n, 1000, std::int64_t{1} << 40);
  PlanSpec spec = operation_of(operation, strategy, n, *rc::gen::inRange<std::int64_t>(0, below));
  if (has_root(operation)) spec.root = *rc::gen::inRange<Rank>(0, n);
  if (follows_ring_order(operation, strategy) && *rc::gen::arbitrary<bool>()) {
    spec.order = shuffled_order(n, *rc::gen::arbitrary<std::uint32_t>());
  }
  RC_LOG() << in_words(spec) << '\n';
  return spec;
}

inline PlanSpec any_spec(std::int32_t most_workers) {
  const auto all = all_strategies();
  return any_spec_of(*rc::gen::elementOf(std::vector(all.begin(), all.end())), most_workers);
}

}  // namespace trireme::plan
