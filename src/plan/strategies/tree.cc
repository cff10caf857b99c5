#include <ranges>

#include "plan/movements/program_writer.h"
#include "plan/movements/tree_edges.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {

Program tree(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Slice whole{0, spec.parameters};
  const std::int32_t height = tree_height(spec.workers);
  const std::vector<TreeEdge> edges = tree_edges(spec.workers, /*root=*/0, node);

  ProgramWriter writer(spec, node, window);
  for (const TreeEdge& edge : edges) {
    if (edge.parent == node) {
      writer.receive(edge.level, edge.child, whole, Action::kAdd,
                     /*completes=*/node == 0 && edge.level == height - 1);
    } else {
      writer.send(edge.level, edge.parent, whole, Action::kAdd);
    }
  }
  for (const TreeEdge& edge : edges | std::views::reverse) {
    const std::int32_t step = 2 * height - 1 - edge.level;
    if (edge.parent == node) {
      writer.send(step, edge.child, whole, Action::kCopy);
    } else {
      writer.receive(step, edge.parent, whole, Action::kCopy);
    }
  }
  return writer.take();
}

}  // namespace trireme::plan
