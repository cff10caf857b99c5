// How doubling strategies deal with a number of workers that is no power of two: some workers hand their
// gradient to a neighbour first, sit out the doubling steps, and get the result from it at the end.
#pragma once

#include "plan/strategies/program_writer.h"

namespace trireme::plan {

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

/// Writes what a node does about the handing over before the doubling, and, if it is the one who hands over,
/// the handing back in `last_step` too: then it has no part in the doubling, and the answer is false.
bool hand_over(ProgramWriter& writer, const PairingOff& pairs, Rank node, const Slice& whole,
               std::int32_t last_step);

/// Writes the handing back of a node that took over, if it did.
void hand_back(ProgramWriter& writer, const PairingOff& pairs, Rank node, const Slice& whole,
               std::int32_t last_step);

}  // namespace trireme::plan
