#include "plan/direct.h"

#include "plan/passes.h"

namespace trireme {

Program direct(const PlanSpec& spec, Rank node) {
  const Circle circle{spec.workers, spec.order.position_of(node),
                      [&](Rank at) { return spec.order.rank_at(at); }};
  const auto chunk_of_owner = [&](Rank k) { return chunk(k, spec.parameters, spec.workers); };
  ProgramWriter writer(spec, node);
  if (spec.workers == 1) return writer.take();
  writer.reserve(4 * static_cast<std::int64_t>(spec.workers));
  give_to_owners(writer, 0, circle, chunk_of_owner, /*completes=*/true);
  get_from_owners(writer, 1, circle, chunk_of_owner);
  return writer.take();
}

}  // namespace trireme
