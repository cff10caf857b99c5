#include "rounds/update/share_sum.h"

#include <algorithm>
#include <iterator>

#include "exec/auto_strategy.h"

namespace trireme::rounds {

plan::PlanSpec share_sum_plan(wire::WireKind wire, Rank nodes, std::int64_t numbers) {
  const auto bytes = numbers * static_cast<std::int64_t>(sizeof(double));
  return plan::spec_for(exec::choose_strategy(wire, /*in_window=*/false, nodes, bytes).strategy, nodes,
                        numbers, 0);
}

void ShareSum::run(std::span<double> numbers) {
  const auto count = std::ssize(numbers);
  const Deadline deadline = Deadline::after(timeout_);
  auto runner =
      std::ranges::find_if(runners_, [&](const auto& one) { return one->spec().parameters == count; });
  if (runner == runners_.end()) {
    runners_.push_back(std::make_unique<exec::Runner>(share_sum_plan(wire_.kind(), wire_.size(), count),
                                                      exec::ElementType::kFloat64, wire_));
    runner = std::prev(runners_.end());
  }
  const wire::Counters before = (*runner)->counted();
  (*runner)->run(std::as_writable_bytes(numbers), deadline);
  wire::Counters grown = (*runner)->counted();
  grown -= before;
  counted_ += grown;
  planned_ += (*runner)->tally();
}

}  // namespace trireme::rounds
