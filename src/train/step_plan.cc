#include "train/step_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/auto_strategy.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"
#include "rounds/update/model_norm.h"
#include "rounds/update/share_norm.h"
#include "rounds/update/share_sum.h"

namespace trireme::train {
namespace {

template <typename T>
void add_once(std::vector<T>& all, T one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
}

void count(const plan::PlanSpec& exchange, std::int64_t bytes_of_element, StepPlan& plan) {
  const plan::ClosedForm form = plan::closed_form(exchange);
  plan.messages += form.messages;
  plan.bytes += form.elements * bytes_of_element;
}

// Without shares every worker can compute norms itself.
void add_norms(const StepPlanSpec& spec, StepPlan& plan) {
  if (plan.buckets.empty() || plan.buckets[0].strategy != plan::Strategy::kParameterServer) return;
  const auto add = [&](std::int64_t numbers) {
    if (numbers == 0) return;
    plan.norms.push_back(rounds::share_sum_plan(spec.wire, spec.workers + spec.servers, numbers));
    count(plan.norms.back(), sizeof(double), plan);
  };
  std::int64_t of_clipping = 0;
  for (const plan::PlanSpec& bucket : plan.buckets) of_clipping += rounds::norm_numbers(bucket);
  if (spec.clips) add(of_clipping);
  add(rounds::kNumbersOfMeasure * spec.measured_tensors);
}

}  // namespace

std::string StepPlan::strategy() const {
  std::vector<std::string_view> names;
  for (const plan::PlanSpec& bucket : buckets) add_once(names, plan::name(bucket.strategy));
  return fmt::format("{}", fmt::join(names, " and "));
}

StepPlan plan_step(const StepPlanSpec& spec, std::span<const rounds::BucketLayout> buckets) {
  StepPlan plan;
  for (const rounds::BucketLayout& layout : buckets) {
    const std::int64_t element = exec::size_of(layout.type);
    std::optional<plan::Strategy> strategy = exec::parse_strategy_or_auto(spec.strategy);
    if (!strategy) {
      exec::Choice choice =
          exec::choose_strategy(spec.wire, spec.in_windows, spec.workers, layout.elements * element);
      strategy = choice.strategy;
      add_once(plan.choices, std::move(choice.why));
    }
    plan::PlanSpec bucket = plan::spec_for(*strategy, spec.workers, layout.elements, spec.servers);
    if (strategy == plan::Strategy::kParameterServer) {
      bucket.variable_borders = rounds::borders_of(layout);
      bucket.whole_variables = spec.whole_tensors;
    }
    count(bucket, element, plan);
    plan.buckets.push_back(std::move(bucket));
  }
  add_norms(spec, plan);
  return plan;
}

}  // namespace trireme::train
