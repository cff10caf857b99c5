// Plans with several arbitrary numbers changed at once. A plan that `verify` accepts must give the right
// results when run naively; and `verify` must not crash on any plan.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "base/trials_test_util.h"
#include "plan/plan_test_util.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/oracle_test_util.h"
#include "plan/verifier/verify.h"

namespace trireme::plan::verifier {
namespace {

class Vandal {
 public:
  explicit Vandal(std::uint32_t seed) : random_(seed) {}

  void damage(Plan& plan) {
    for (int mistakes = below(3); mistakes >= 0; --mistakes) damage_once(plan);
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  Rank any_node(const Plan& plan) { return below(plan.spec.nodes() + 2) - 1; }
  std::int64_t nudge() { return below(5) - 2; }

  void damage_once(Plan& plan) {
    Program& program = plan.programs[idx(below(static_cast<int>(plan.programs.size())))];
    if (program.ops.empty()) return;
    const int count = static_cast<int>(program.ops.size());
    Op& op = program.ops[idx(below(count))];
    switch (below(6)) {
      case 0:
        std::swap(op, program.ops[idx(below(count))]);
        break;
      case 1:
        program.ops.erase(program.ops.begin() + below(count));
        break;
      case 2:
        if (!program.sources.empty()) {
          program.sources[idx(below(static_cast<int>(program.sources.size())))].room += nudge();
        }
        break;
      default:
        damage_op(plan, program.node, op);
    }
  }

  // Sometimes changes the other end in the same way, so that the two still agree.
  void damage_op(Plan& plan, Rank node, Op& op) {
    const Op before = op;
    change_field(plan, op);
    if (before.kind == OpKind::kFold || below(4) == 0) return;
    if (before.peer < 0 || before.peer >= plan.spec.nodes()) return;
    for (Op& other : plan.programs[idx(before.peer)].ops) {
      if (other.id != before.id || other.peer != node) continue;
      other.id = op.id;
      other.slice = op.slice;
      other.step = op.step;
      other.action = op.action;
    }
  }

  void change_field(const Plan& plan, Op& op) {
    switch (below(11)) {
      case 0:
        op.id += nudge();
        break;
      case 1:
        op.slice.first += nudge();
        break;
      case 2:
        op.slice.count += nudge();
        break;
      case 3:
        op.room += nudge();
        break;
      case 4:
        op.step += static_cast<std::int32_t>(nudge());
        break;
      case 5:
        op.peer = any_node(plan);
        break;
      case 6:
        op.source_count += static_cast<std::int32_t>(nudge());
        break;
      case 7:
        op.kind = static_cast<OpKind>(below(3));
        break;
      case 8:
        op.action = static_cast<Action>(below(4));
        break;
      case 9:
        op.completes = !op.completes;
        break;
      default:
        op.by_chunk = !op.by_chunk;
    }
  }

  std::mt19937 random_;
};

std::vector<PlanSpec> every_exchange(std::int32_t n, std::int64_t p) {
  std::vector<PlanSpec> specs = every_kind(n, p);
  const std::vector<PlanSpec> operations = every_operation(n, p);
  specs.insert(specs.end(), operations.begin(), operations.end());
  return specs;
}

TEST(VerifyFuzz, WhateverIsAcceptedGivesTheRightResults) {
  std::int64_t tried = 0;
  std::int64_t accepted = 0;
  std::uint32_t seed = 0;
  for (std::int32_t n = 1; n <= 5; ++n) {
    for (const std::int64_t p : {1, 4, 7}) {
      for (const PlanSpec& spec : every_exchange(n, p)) {
        const Plan original = make_plan(spec);
        const NaiveRun expected = run_naively(original);
        for (int i = 0; i < 200 / one_trial_in(1, 8); ++i) {
          Plan plan = original;
          Vandal(seed++).damage(plan);
          ++tried;
          if (!verify(plan).empty()) continue;
          ++accepted;
          const NaiveRun run = run_naively(plan);
          ASSERT_EQ(run.wrong, "") << in_words(plan);
          ASSERT_EQ(run.results, expected.results) << in_words(plan);
        }
      }
    }
  }
  std::cout << fmt::format("{} damaged plans, {} of them harmless\n", tried, accepted);
}

TEST(VerifyFuzz, SurvivesTheLargestAndSmallestNumbers) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int32_t kMostSteps = std::numeric_limits<std::int32_t>::max();
  for (const PlanSpec& spec : every_exchange(4, 9)) {
    const Plan original = make_plan(spec);
    for (std::size_t node = 0; node < original.programs.size(); ++node) {
      for (std::size_t i = 0; i < original.programs[node].ops.size(); ++i) {
        for (const std::int64_t number : {kMost, -kMost - 1, kMost - 1}) {
          const auto with = [&](auto change) {
            Plan plan = original;
            change(plan.programs[node].ops[i]);
            return verify(plan);
          };
          EXPECT_FALSE(with([&](Op& op) { op.slice.first = number; }).empty());
          EXPECT_FALSE(with([&](Op& op) { op.slice.count = number; }).empty());
          EXPECT_FALSE(with([&](Op& op) { op.slice = {number, number}; }).empty());
          (void)with([&](Op& op) { op.room = number; });  // a send has none
          (void)with([&](Op& op) { op.id = number; });    // no other op has a fold's id
          EXPECT_FALSE(with([&](Op& op) { op.step = number > 0 ? kMostSteps : -kMostSteps - 1; }).empty() &&
                       original.programs[node].ops[i].kind != OpKind::kFold);
          (void)with([&](Op& op) { op.peer = number > 0 ? kMostSteps : -kMostSteps - 1; });
          (void)with([&](Op& op) { op.source_count = number > 0 ? kMostSteps : -kMostSteps - 1; });
        }
      }
    }
  }
}

}  // namespace
}  // namespace trireme::plan::verifier
