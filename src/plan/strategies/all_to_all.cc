#include "plan/strategies/strategies.h"

#include "plan/movements/program_writer.h"

namespace trireme::plan {

Program all_to_all(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Rank n = spec.workers;
  const Rank position = spec.order.position_of(node);
  const Slice whole{0, spec.parameters};
  ProgramWriter writer(spec, node, window);
  if (n == 1) return writer.take();

  writer.reserve(2 * std::int64_t{n});
  // Every node begins with a different receiver, so that not all send to one node at once.
  for (Rank distance = 1; distance < n; ++distance) {
    writer.send(0, spec.order.rank_at((position + distance) % n), whole, Action::kKeep);
  }
  for (Rank source = 0; source < n; ++source) {
    if (source == position) {
      writer.own();
    } else {
      writer.keep(0, spec.order.rank_at(source), whole);
    }
  }
  writer.fold(0, whole, {.by_chunk = true, .completes = true});
  return writer.take();
}

}  // namespace trireme::plan
