// How doubling strategies handle a number of workers that is not a power of two: some workers first hand
// their gradient to a neighbour, skip the doubling steps, and get the result from the neighbour at the end.
#pragma once

#include "plan/movements/program_writer.h"

namespace trireme::plan {

/// 2^levels ranks take part, the largest power of two ≤ n; each even rank of the first 2·extra ranks hands
/// its gradient to the odd rank after it.
struct PairingOff {
  explicit PairingOff(Rank workers);

  Rank participants = 1;
  std::int32_t levels = 0;
  Rank extra = 0;

  [[nodiscard]] bool hands_over(Rank rank) const { return rank < 2 * extra && rank % 2 == 0; }
  [[nodiscard]] bool takes_over(Rank rank) const { return rank < 2 * extra && rank % 2 == 1; }
  [[nodiscard]] Rank number_of(Rank rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  [[nodiscard]] Rank rank_of(Rank number) const { return number < extra ? 2 * number + 1 : number + extra; }
  /// The step of the first doubling: one later if some workers hand over first.
  [[nodiscard]] std::int32_t first_step() const { return extra > 0 ? 1 : 0; }
};

/// Writes a node's part in the handing over before the doubling. If the node hands over, also writes the
/// handing back in `last_step`; such a node takes no part in the doubling, and the function returns false.
bool hand_over(ProgramWriter& writer, const PairingOff& pairs, Rank node, const Slice& whole,
               std::int32_t last_step);

/// If the node took over a gradient, writes how it hands the result back.
void hand_back(ProgramWriter& writer, const PairingOff& pairs, Rank node, const Slice& whole,
               std::int32_t last_step);

}  // namespace trireme::plan
