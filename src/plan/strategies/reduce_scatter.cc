#include "plan/movements/passes.h"
#include "plan/strategies/operations.h"

namespace trireme::plan {

Program reduce_scatter_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  if (spec.workers == 1) return writer.take();
  give_to_owners(writer, 0, in_ring_order(spec, node), chunks_in_ring_order(spec), /*completes=*/true);
  return writer.take();
}

Program reduce_scatter_by_ring(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Circle circle = in_ring_order(spec, node);
  const Parts parts = chunks_of(spec);
  ProgramWriter writer(spec, node, window);
  if (spec.workers == 1) return writer.take();
  const std::int32_t step = add_around(writer, 0, circle, parts);

  // Chunk k is complete at position k−1, and belongs to rank k.
  const Rank complete_here = (circle.position + 1) % circle.size;
  const Rank own_is_complete_at = circle.rank_at((node + circle.size - 1) % circle.size);
  if (complete_here != node) {
    writer.send(step, complete_here, parts.of(complete_here), Action::kCopy);
    writer.receive(step, own_is_complete_at, parts.of(node), Action::kCopy);
  }
  return writer.take();
}

}  // namespace trireme::plan
