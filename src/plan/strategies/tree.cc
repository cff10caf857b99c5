#include "plan/strategies/strategies.h"

#include <bit>

#include "plan/strategies/program_writer.h"

namespace trireme::plan {

std::int32_t tree_height(Rank workers) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(workers - 1)));
}

// A node's parent is its rank with the lowest set bit cleared; its children are its rank plus each lower
// power of two. The edge over bit j is used in step j on the way up and in the mirrored step on the way down.
Program tree(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Rank n = spec.workers;
  const Slice whole{0, spec.parameters};
  const std::int32_t height = tree_height(n);
  const std::int32_t own_bit = node == 0 ? height : std::countr_zero(static_cast<std::uint32_t>(node));
  const auto down_step = [&](std::int32_t bit) { return 2 * height - 1 - bit; };

  ProgramWriter writer(spec, node, window);
  for (std::int32_t bit = 0; bit < own_bit; ++bit) {
    const Rank child = node + (1 << bit);
    if (child < n)
      writer.receive(bit, child, whole, Action::kAdd, /*completes=*/node == 0 && bit == height - 1);
  }
  if (node != 0) {
    const Rank parent = node - (1 << own_bit);
    writer.send(own_bit, parent, whole, Action::kAdd);
    writer.receive(down_step(own_bit), parent, whole, Action::kCopy);
  }
  for (std::int32_t bit = own_bit - 1; bit >= 0; --bit) {
    const Rank child = node + (1 << bit);
    if (child < n) writer.send(down_step(bit), child, whole, Action::kCopy);
  }
  return writer.take();
}

}  // namespace trireme::plan
