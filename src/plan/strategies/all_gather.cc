#include "plan/movements/passes.h"
#include "plan/strategies/operations.h"

namespace trireme::plan {

Program all_gather_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  get_from_owners(writer, 0, in_rank_order(spec, node), chunks_of(spec));
  return writer.take();
}

Program all_gather_by_ring(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  share_around(writer, 0, in_ring_order(spec, node), chunks_in_ring_order(spec), /*shift=*/0);
  return writer.take();
}

}  // namespace trireme::plan
