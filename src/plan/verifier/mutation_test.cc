// The verifier finds every small mistake in a plan. If `verify` accepts a mutant, an oracle that shares no
// code with it must prove the mutant harmless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>

#include "base/trials_test_util.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/pieces_test_util.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/mutants_test_util.h"
#include "plan/verifier/oracle_test_util.h"
#include "plan/verifier/verify.h"

namespace trireme::plan::verifier {
namespace {

// One in how many plans has its mutants judged.
const int kOneIn = one_trial_in(1, 23);

struct Score {
  std::int64_t tried = 0, caught = 0, equivalent = 0;

  Score& operator+=(const Score& other) {
    tried += other.tried;
    caught += other.caught;
    equivalent += other.equivalent;
    return *this;
  }
  [[nodiscard]] std::string in_words() const {
    return fmt::format("{} mutants tried, {} caught, {} proved equivalent", tried, caught, equivalent);
  }
};

Score judge_mutants_of(const Plan& original) {
  EXPECT_EQ(in_words(verify(original)), "") << in_words(original);
  const NaiveRun expected = run_naively(original);
  EXPECT_EQ(expected.wrong, "") << in_words(original);

  Score score;
  const auto judge = [&](std::string_view kind, const Plan& mutant) {
    ++score.tried;
    const std::vector<Problem> problems = verify(mutant);
    const std::string naive = naive_objection(mutant, expected);
    ++(problems.empty() ? score.equivalent : score.caught);
    EXPECT_EQ(problems.empty(), naive.empty()) << kind << ": verify says\n"
                                               << in_words(problems) << "but the oracle: " << naive << '\n'
                                               << in_words(mutant);
    if (kind.starts_with("double both sides")) {
      EXPECT_THAT(in_words(problems), testing::HasSubstr("superfluous")) << kind << "\n" << in_words(mutant);
    }
  };
  Mutants(original, judge).visit_all();
  return score;
}

// Every strategy for n workers; parameter-server with one, two and no dedicated servers.
void add_specs(std::int32_t n, std::int64_t p, std::vector<PlanSpec>& specs) {
  for (const Strategy strategy : all_strategies()) {
    if (strategy == Strategy::kParameterServer || strategy == Strategy::kHierarchical) continue;
    specs.push_back(spec_of(strategy, n, p));
  }
  specs.push_back(with_servers(n, p, 1));
  specs.push_back(with_servers(n, p, 2));
  specs.push_back(with_shares(n, p, 2));
}

// Every other operation, from the first root and from one inside.
void add_operations(std::int32_t n, std::int64_t p, std::vector<PlanSpec>& specs) {
  for (const PlanSpec& spec : every_operation(n, p)) {
    if (spec.root == 0 || spec.root == n - 2) specs.push_back(spec);
  }
}

std::vector<PlanSpec> specs() {
  std::vector<PlanSpec> result;
  for (const std::int64_t p : {3, 4, 7, 12}) {
    for (std::int32_t n = 2; n <= 5; ++n) {
      add_specs(n, p, result);
      add_operations(n, p, result);
    }
    result.push_back(on_hosts(2, 2, p));
    result.push_back(on_hosts(3, 2, p));
    result.push_back(on_hosts(2, 3, p));
  }
  add_specs(6, 7, result);
  for (const Strategy strategy : {Strategy::kRing, Strategy::kDirect, Strategy::kAllToAll}) {
    result.push_back(spec_of(strategy, 4, 7));
    result.back().order = RingOrder({0, 1, 3, 2});
  }
  for (PlanSpec spec : every_operation(4, 7)) {
    if (!follows_ring_order(spec.operation, spec.strategy)) continue;
    spec.order = RingOrder({0, 1, 3, 2});
    result.push_back(spec);
  }
  return result;
}

TEST(Mutation, EveryMutantIsCaughtOrProvedEquivalent) {
  std::map<std::string, Score> scores;
  Score total;
  int seen = 0;
  for (const PlanSpec& spec : specs()) {
    if (seen++ % kOneIn != 0) continue;
    const Score score = judge_mutants_of(make_plan(spec));
    scores[title(spec)] += score;
    total += score;
    if (HasFailure()) break;  // one mistake makes thousands
  }
  for (const auto& [strategy, score] : scores) std::cout << strategy << ": " << score.in_words() << '\n';
  std::cout << "all strategies: " << total.in_words() << '\n';
  EXPECT_GT(total.tried, 100'000 / kOneIn);
  EXPECT_LT(total.equivalent * 100, total.tried) << "mutants should be mistakes";
}

// Here every op cuts memory at other places.
TEST(Mutation, EveryMutantOfAPlanInPiecesIsCaughtOrProvedEquivalent) {
  std::vector<PlanSpec> specs = every_kind(3, 7);
  for (const PlanSpec& spec : every_operation(3, 7)) specs.push_back(spec);
  specs.push_back(on_hosts(2, 2, 9));
  Score total;
  int seen = 0;
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    for (const PlanSpec& spec : specs) {
      if (seen++ % kOneIn != 0) continue;
      total += judge_mutants_of(in_pieces(make_plan(spec), seed));
      ASSERT_FALSE(HasFailure());
    }
  }
  std::cout << "plans in pieces: " << total.in_words() << '\n';
}

}  // namespace
}  // namespace trireme::plan::verifier
