#include "plan/strategies/strategies.h"

#include "plan/movements/pairing_off.h"

namespace trireme::plan {
namespace {

// The chunks (of `participants`) that a participant is responsible for after `level` halvings.
Slice block(const PlanSpec& spec, const PairingOff& pairs, Rank number, std::int32_t level) {
  Rank first = 0;
  for (std::int32_t bit = 0; bit < level; ++bit) {
    if (number >> bit & 1) first += pairs.participants >> (bit + 1);
  }
  return chunks(first, first + (pairs.participants >> level), spec.parameters, pairs.participants);
}

}  // namespace

Program halving_doubling(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const PairingOff pairs(spec.workers);
  const Slice whole{0, spec.parameters};
  const std::int32_t levels = pairs.levels;
  const std::int32_t last_step = pairs.first_step() + 2 * levels;
  ProgramWriter writer(spec, node, window);

  if (!hand_over(writer, pairs, node, whole, last_step)) return writer.take();

  const Rank number = pairs.number_of(node);
  std::int32_t step = pairs.first_step();
  for (std::int32_t level = 0; level < levels; ++level, ++step) {
    const Rank partner = number ^ (1 << level);
    writer.send(step, pairs.rank_of(partner), block(spec, pairs, partner, level + 1), Action::kAdd);
    writer.receive(step, pairs.rank_of(partner), block(spec, pairs, number, level + 1), Action::kAdd,
                   /*completes=*/level == levels - 1);
  }
  for (std::int32_t level = levels - 1; level >= 0; --level, ++step) {
    const Rank partner = number ^ (1 << level);
    writer.send(step, pairs.rank_of(partner), block(spec, pairs, number, level + 1), Action::kCopy);
    writer.receive(step, pairs.rank_of(partner), block(spec, pairs, partner, level + 1), Action::kCopy);
  }
  hand_back(writer, pairs, node, whole, last_step);
  return writer.take();
}

}  // namespace trireme::plan
