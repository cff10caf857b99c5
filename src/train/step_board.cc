#include "train/step_board.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/system/fd.h"
#include "base/text.h"

namespace trireme::train {

// The system gives it filled with zeros.
StepBoard::StepBoard(Rank nodes) : nodes_(nodes) {
  void* memory =
      ::mmap(nullptr, idx(nodes) * sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("share memory with the nodes");
  places_ = static_cast<Place*>(memory);
}

StepBoard::~StepBoard() { ::munmap(places_, idx(nodes_) * sizeof(Place)); }

void StepBoard::begin(Rank rank, std::int64_t step, std::int64_t epoch) {
  places_[rank].epoch.store(epoch, std::memory_order_relaxed);
  places_[rank].step.store(step, std::memory_order_relaxed);
}

void StepBoard::reach(Rank rank, const Reached& reached) {
  Place& place = places_[rank];
  place.planned.store(reached.planned, std::memory_order_relaxed);
  place.samples_per_s.store(reached.samples_per_s, std::memory_order_relaxed);
  place.seconds.store(reached.seconds, std::memory_order_relaxed);
  place.loss.store(reached.loss, std::memory_order_relaxed);
  place.done.store(reached.steps, std::memory_order_relaxed);
}

Reached StepBoard::reached() const {
  const Place& place = places_[0];
  return {place.done.load(std::memory_order_relaxed), place.planned.load(std::memory_order_relaxed),
          place.samples_per_s.load(std::memory_order_relaxed), place.seconds.load(std::memory_order_relaxed),
          place.loss.load(std::memory_order_relaxed)};
}

std::string StepBoard::in_words(Rank rank) const {
  if (rank < 0 || rank >= nodes_) return "";
  const std::int64_t step = places_[rank].step.load(std::memory_order_relaxed);
  if (step == 0) return "";
  return fmt::format("step {} of training (epoch {})", with_commas(step),
                     with_commas(places_[rank].epoch.load(std::memory_order_relaxed)));
}

}  // namespace trireme::train
