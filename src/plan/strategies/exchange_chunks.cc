// The operation all-to-all, which is not the strategy of that name.
#include "plan/movements/passes.h"
#include "plan/strategies/operations.h"

namespace trireme::plan {

Program all_to_all_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Circle circle = in_rank_order(spec, node);
  const Parts parts = chunks_of(spec);
  const auto in_row = [&](Rank row, Rank k) {
    const Slice part = parts.of(k);
    return Slice{row * spec.parameters + part.first, part.count};
  };
  ProgramWriter writer(spec, node, window);
  for_each_other_owner(circle, parts, [&](Rank to) { writer.send(0, to, in_row(node, to), Action::kCopy); });
  if (parts.of(node).empty()) return writer.take();
  for_each_other(circle, [&](Rank from) { writer.receive(0, from, in_row(from, node), Action::kCopy); });
  return writer.take();
}

}  // namespace trireme::plan
