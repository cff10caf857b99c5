#include "plan/ring.h"

#include "plan/passes.h"

namespace trireme {

Program ring(const PlanSpec& spec, Rank node) {
  const Circle circle{spec.workers, spec.order.position_of(node),
                      [&](Rank at) { return spec.order.rank_at(at); }};
  ProgramWriter writer(spec, node);
  writer.reserve(4 * static_cast<std::int64_t>(spec.workers - 1));
  pass_around(writer, 0, circle, [&](Rank k) { return chunk(k, spec.parameters, spec.workers); });
  return writer.take();
}

}  // namespace trireme
