#include "plan/strategies/strategies.h"

#include "plan/movements/passes.h"

namespace trireme::plan {

Program direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Circle circle = in_ring_order(spec, node);
  const Parts parts = chunks_of(spec);
  ProgramWriter writer(spec, node, window);
  if (spec.workers == 1) return writer.take();
  give_to_owners(writer, 0, circle, parts, /*completes=*/true);
  get_from_owners(writer, 1, circle, parts);
  return writer.take();
}

}  // namespace trireme::plan
