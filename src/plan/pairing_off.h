// How doubling strategies deal with a number of workers that is no power of two: some workers hand their
// gradient to a neighbour first, sit out the doubling steps, and get the result from it at the end.
#pragma once

#include "plan/plan.h"

namespace trireme {

/// The largest power of two 2^levels ≤ n take part; of the first 2·extra ranks each even one hands over to
/// the odd one after it.
struct PairingOff {
  explicit PairingOff(Rank workers);

  Rank participants = 1;
  std::int32_t levels = 0;
  Rank extra = 0;

  [[nodiscard]] bool hands_over(Rank rank) const { return rank < 2 * extra && rank % 2 == 0; }
  [[nodiscard]] bool takes_over(Rank rank) const { return rank < 2 * extra && rank % 2 == 1; }
  [[nodiscard]] Rank number_of(Rank rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  [[nodiscard]] Rank rank_of(Rank number) const { return number < extra ? 2 * number + 1 : number + extra; }
  /// The step of the first doubling: one later when there is a handing over.
  [[nodiscard]] std::int32_t first_step() const { return extra > 0 ? 1 : 0; }
};

}  // namespace trireme
