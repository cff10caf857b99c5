#include "train/step_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/auto_strategy.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"

namespace trireme::train {
namespace {

template <typename T>
void add_once(std::vector<T>& all, T one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
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
    const plan::ClosedForm form = plan::closed_form(bucket);
    plan.messages += form.messages;
    plan.bytes += form.elements * element;
    plan.buckets.push_back(std::move(bucket));
  }
  return plan;
}

}  // namespace trireme::train
