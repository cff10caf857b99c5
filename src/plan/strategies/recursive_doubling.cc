#include "plan/strategies/strategies.h"

#include "plan/movements/pairing_off.h"

namespace trireme::plan {

Program recursive_doubling(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const PairingOff pairs(spec.workers);
  const Slice whole{0, spec.parameters};
  const std::int32_t last_step = pairs.first_step() + pairs.levels;
  ProgramWriter writer(spec, node, window);

  if (!hand_over(writer, pairs, node, whole, last_step)) return writer.take();

  const Rank number = pairs.number_of(node);
  for (std::int32_t level = 0; level < pairs.levels; ++level) {
    const std::int32_t step = pairs.first_step() + level;
    const Rank partner_number = number ^ (1 << level);
    const Rank partner = pairs.rank_of(partner_number);
    writer.send(step, partner, whole, Action::kKeep);
    // The lower of the two is the first summand at both ends; nothing may be added yet to a slice that is
    // being sent.
    if (number < partner_number) writer.own();
    writer.keep(step, partner, whole);
    if (number > partner_number) writer.own();
    writer.fold(step, whole, {.completes = level == pairs.levels - 1});
  }
  hand_back(writer, pairs, node, whole, last_step);
  return writer.take();
}

}  // namespace trireme::plan
