// Chooses who drives the exchange of gradients, from round to round: the one that was asked for, or the one
// that rank 0 has measured to be fastest, of which its notes tell the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/types.h"
#include "rounds/drive_trial.h"
#include "rounds/round_driver.h"

namespace trireme::rounds {

class DriveChoice {
 public:
  /// Without a wish the fastest is taken. `timeout` is that of each exchange.
  DriveChoice(std::optional<Drive> wish, Rank rank, std::chrono::nanoseconds timeout);

  [[nodiscard]] bool may_overlap() const { return wish_ != Drive::kAfter; }
  /// Buckets may be exchanged during backward from now on; before, nobody drives. Does nothing the second
  /// time.
  void begin_overlap();
  /// There is no backward any more: nobody drives from now on. Rank 0 goes on telling what it measures.
  void end_overlap();
  [[nodiscard]] bool overlaps() const { return overlaps_; }

  /// In the round at hand, or in the next one if there is none.
  [[nodiscard]] Drive current() const { return current_; }
  [[nodiscard]] RoundDriver& driver() { return *driver_; }

  /// The drive that this node's notes tell the others.
  [[nodiscard]] std::int32_t told() const;
  /// A round has ended, before which rank 0 has told this. Writes to standard error what was measured best.
  void end_round(std::int32_t told_by_rank_0);

 private:
  void measure();
  void change_to(Drive drive);

  std::optional<Drive> wish_;
  Rank rank_;
  std::chrono::nanoseconds timeout_;
  bool overlaps_ = false;
  Drive current_ = Drive::kAfter;
  std::unique_ptr<RoundDriver> driver_;
  std::optional<DriveTrial> trial_;  // on rank 0
  std::optional<std::chrono::steady_clock::time_point> last_end_;
};

}  // namespace trireme::rounds
