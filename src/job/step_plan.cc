#include "job/step_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/auto_strategy.h"
#include "plan/closed_form.h"

namespace trireme {
namespace {

template <typename T>
void add_once(std::vector<T>& all, T one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
}

}  // namespace

std::string StepPlan::strategy() const {
  std::vector<std::string_view> names;
  for (const PlanSpec& bucket : buckets) add_once(names, name(bucket.strategy));
  return fmt::format("{}", fmt::join(names, " and "));
}

StepPlan plan_step(const StepPlanSpec& spec, std::span<const BucketLayout> buckets) {
  StepPlan plan;
  for (const BucketLayout& layout : buckets) {
    const std::int64_t element = size_of(layout.type);
    PlanSpec bucket;
    bucket.workers = spec.workers;
    bucket.parameters = layout.elements;
    if (const std::optional<Strategy> wish = parse_wish(spec.strategy)) {
      bucket.strategy = *wish;
    } else {
      Choice choice = choose_strategy(spec.wire, spec.in_windows, spec.workers, layout.elements * element);
      bucket.strategy = choice.strategy;
      add_once(plan.choices, std::move(choice.why));
    }
    if (bucket.strategy == Strategy::kParameterServer) {
      bucket.servers = spec.servers;
      if (spec.servers == 0) bucket.shares_on_workers = spec.workers;
    }
    const ClosedForm form = closed_form(bucket);
    plan.messages += form.messages;
    plan.bytes += form.elements * element;
    plan.buckets.push_back(std::move(bucket));
  }
  return plan;
}

}  // namespace trireme
