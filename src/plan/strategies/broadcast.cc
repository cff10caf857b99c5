#include "plan/strategies/operations.h"

#include <ranges>

#include "plan/movements/passes.h"
#include "plan/movements/tree_edges.h"

namespace trireme::plan {

Program broadcast_by_tree(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Slice whole{0, spec.parameters};
  const std::int32_t height = tree_height(spec.workers);
  ProgramWriter writer(spec, node, window);
  for (const TreeEdge& edge : tree_edges(spec.workers, spec.root, node) | std::views::reverse) {
    const std::int32_t step = height - 1 - edge.level;
    if (edge.parent == node) {
      writer.send(step, edge.child, whole, Action::kCopy);
    } else {
      writer.receive(step, edge.parent, whole, Action::kCopy);
    }
  }
  return writer.take();
}

Program broadcast_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Circle circle = in_rank_order(spec, node);
  const Parts parts = chunks_of(spec);
  ProgramWriter writer(spec, node, window);
  hand_out(writer, 0, circle, parts, spec.root);
  get_from_owners(writer, 1, circle, parts, /*has_all=*/spec.root);
  return writer.take();
}

Program broadcast_by_star(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Slice whole{0, spec.parameters};
  ProgramWriter writer(spec, node, window);
  if (node == spec.root) {
    for_each_other(in_rank_order(spec, node),
                   [&](Rank other) { writer.send(0, other, whole, Action::kCopy); });
  } else {
    writer.receive(0, spec.root, whole, Action::kCopy);
  }
  return writer.take();
}

}  // namespace trireme::plan
