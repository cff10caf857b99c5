// A board that shows whoever started the nodes how far the training of each of them is.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/types.h"

namespace trireme::train {

/// How far a node has come.
struct Reached {
  std::int64_t steps = 0;
  std::int64_t planned = 0;  ///< steps of the whole training
  double samples_per_s = 0;  ///< of all workers
  double seconds = 0;        ///< since the first step began
  double loss = 0;           ///< of the last step that was logged; step 1 is
};

/// Lies in memory that processes share which are forked after it was made. A node writes, anybody reads.
class StepBoard {
 public:
  explicit StepBoard(Rank nodes);
  ~StepBoard();
  StepBoard(const StepBoard&) = delete;
  StepBoard& operator=(const StepBoard&) = delete;

  /// The node begins this step of this epoch, both from 1.
  void begin(Rank rank, std::int64_t step, std::int64_t epoch);
  /// The node has done a step.
  void reach(Rank rank, const Reached& reached);
  /// By rank 0.
  [[nodiscard]] Reached reached() const;
  /// Rank 0 is about to print the result.
  void conclude() { places_[0].concluded.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool concluded() const { return places_[0].concluded.load(std::memory_order_relaxed); }
  /// "step 1,200 of training (epoch 3)"; empty before the first one.
  [[nodiscard]] std::string in_words(Rank rank) const;

 private:
  // Relaxed: they are read to be told, and nothing else depends on them.
  struct Place {
    std::atomic<std::int64_t> step;
    std::atomic<std::int64_t> epoch;
    std::atomic<std::int64_t> done;
    std::atomic<std::int64_t> planned;
    std::atomic<double> samples_per_s;
    std::atomic<double> seconds;
    std::atomic<double> loss;
    std::atomic<bool> concluded;
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // else not for several processes
  static_assert(std::atomic<double>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

  Rank nodes_;
  Place* places_;
};

}  // namespace trireme::train
