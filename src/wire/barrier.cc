#include "wire/barrier.h"

#include "wire/notes.h"
#include "wire/windows.h"

namespace trireme {
namespace {

class EverybodysTick final : public Awaited {
 public:
  EverybodysTick(const Windows& windows, Rank nodes, std::uint64_t tick)
      : windows_(windows), nodes_(nodes), tick_(tick) {}

  bool arrived() override {
    while (next_ < nodes_ && windows_.reached(next_, tick_)) ++next_;
    return next_ == nodes_;
  }

  [[nodiscard]] Transfer missing(const Roster& roster) const override {
    for (Rank node = next_; node < nodes_; ++node) {
      if (roster.has_left(node) && !windows_.reached(node, tick_)) return transfer_from(node);
    }
    return transfer_from(next_);
  }

 private:
  static Transfer transfer_from(Rank node) { return {.peer = node, .id = -1, .combine = copy_bytes}; }

  const Windows& windows_;
  const Rank nodes_;
  const std::uint64_t tick_;
  Rank next_ = 0;  // all before are there
};

}  // namespace

void barrier(Wire& wire, const Deadline& deadline) {
  constexpr const char* kPurpose = "at a barrier";
  Windows* windows = wire.windows();
  if (windows == nullptr) {
    static_cast<void>(share_notes(wire, {}, kPurpose, deadline));
    return;
  }
  const std::uint64_t tick = windows->take_ticks(1);
  windows->raise(tick);
  EverybodysTick everybody(*windows, wire.size(), tick);
  try {
    windows->wait(everybody, deadline);
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (failure.op.empty()) failure.op = kPurpose;
    wire.leave(failure);
    throw Error(failure);
  }
}

}  // namespace trireme
