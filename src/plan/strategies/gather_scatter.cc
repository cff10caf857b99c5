// A gather, and a scatter, which is a gather in reverse.
#include <ranges>

#include "plan/movements/passes.h"
#include "plan/movements/tree_edges.h"
#include "plan/strategies/operations.h"

namespace trireme::plan {
namespace {

// The chunks of all ranks below an edge travel together, and lie in their place on the way.
Slice chunks_below(const PlanSpec& spec, const TreeEdge& edge) {
  return chunks(edge.first, edge.end, spec.parameters, spec.workers);
}

}  // namespace

Program gather_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  collect(writer, 0, in_rank_order(spec, node), chunks_of(spec), spec.root);
  return writer.take();
}

Program scatter_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  hand_out(writer, 0, in_rank_order(spec, node), chunks_of(spec), spec.root);
  return writer.take();
}

Program gather_by_tree(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  for (const TreeEdge& edge : tree_edges(spec.workers, spec.root, node)) {
    if (edge.parent == node) {
      writer.receive(edge.level, edge.child, chunks_below(spec, edge), Action::kCopy);
    } else {
      writer.send(edge.level, edge.parent, chunks_below(spec, edge), Action::kCopy);
    }
  }
  return writer.take();
}

Program scatter_by_tree(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const std::int32_t height = tree_height(spec.workers);
  ProgramWriter writer(spec, node, window);
  for (const TreeEdge& edge : tree_edges(spec.workers, spec.root, node) | std::views::reverse) {
    const std::int32_t step = height - 1 - edge.level;
    if (edge.parent == node) {
      writer.send(step, edge.child, chunks_below(spec, edge), Action::kCopy);
    } else {
      writer.receive(step, edge.parent, chunks_below(spec, edge), Action::kCopy);
    }
  }
  return writer.take();
}

}  // namespace trireme::plan
