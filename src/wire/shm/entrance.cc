#include "wire/shm/entrance.h"

#include <vector>

namespace trireme::wire::shm {

std::uint64_t Entrance::come(const CallSignature& signature, std::uint64_t ticks) {
  tick_ = ticks_.take(ticks);
  ticks_.declare(signature);
  next_ = 0;
  return tick_;
}

bool Entrance::arrived() {
  const Rank nodes = windows_.nodes();
  while (next_ < nodes && ticks_.reached(next_, tick_)) ++next_;
  return next_ == nodes;
}

Transfer Entrance::missing(const Roster& roster) const {
  // No op of a plan has such an id.
  const auto transfer_from = [](Rank node) {
    return Transfer{.peer = node, .id = -1, .combine = copy_bytes};
  };
  for (Rank node = next_; node < windows_.nodes(); ++node) {
    if (roster.has_left(node) && !ticks_.reached(node, tick_)) return transfer_from(node);
  }
  return transfer_from(next_);
}

void Entrance::require_same() const {
  bool same = true;
  for (Rank node = 0; node < windows_.nodes(); ++node) {
    same = same && ticks_.note_of(node).digest == ticks_.note_of(windows_.rank()).digest;
  }
  if (same) return;
  std::vector<CallSignature> signatures;
  for (Rank node = 0; node < windows_.nodes(); ++node) signatures.push_back(ticks_.signature_of(node));
  throw difference(windows_.rank(), signatures);
}

}  // namespace trireme::wire::shm
