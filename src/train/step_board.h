// In which step of the training each node is, for whoever started them to see.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/types.h"

namespace trireme::train {

/// Lies in memory that processes share which are forked after it was made. A node writes, anybody reads.
class StepBoard {
 public:
  explicit StepBoard(Rank nodes);
  ~StepBoard();
  StepBoard(const StepBoard&) = delete;
  StepBoard& operator=(const StepBoard&) = delete;

  /// The node begins this step of this epoch, both from 1.
  void begin(Rank rank, std::int64_t step, std::int64_t epoch);
  /// "step 1,200 of training (epoch 3)"; empty before the first one.
  [[nodiscard]] std::string in_words(Rank rank) const;

 private:
  // Relaxed: they are read to be told, and nothing else depends on them.
  struct Place {
    std::atomic<std::int64_t> step;
    std::atomic<std::int64_t> epoch;
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // else not for several processes

  Rank nodes_;
  Place* places_;
};

}  // namespace trireme::train
