#include "plan/strategies/strategies.h"

#include <algorithm>

#include "plan/movements/passes.h"

namespace trireme::plan {

Program ring(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  const std::int64_t passes = 2 * std::min<std::int64_t>(spec.workers - 1, spec.parameters);
  writer.reserve(2 * std::min(passes, std::int64_t{window.end} - window.first));
  pass_around(writer, 0, in_ring_order(spec, node), chunks_of(spec));
  return writer.take();
}

}  // namespace trireme::plan
