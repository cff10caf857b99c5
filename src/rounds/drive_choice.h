// Who drives the exchange of gradients, from round to round: who was asked for, or who is fastest on rank 0,
// which tells the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/types.h"
#include "rounds/drive_trial.h"
#include "rounds/round_driver.h"

namespace trireme::rounds {

class DriveChoice {
 public:
  /// `wish`: nothing for who turns out to be fastest.
  DriveChoice(std::optional<Drive> wish, Rank rank) : wish_(wish), rank_(rank) {}

  [[nodiscard]] bool may_overlap() const { return wish_ != Drive::kAfter; }
  /// From now on buckets may be exchanged during backward; until then nobody drives. Does nothing the second
  /// time.
  void begin_overlap();
  [[nodiscard]] bool overlaps() const { return overlaps_; }
  /// In the next round.
  [[nodiscard]] Drive current() const { return current_; }

  /// What this node tells the others when a round ends.
  [[nodiscard]] std::int32_t told() const;
  /// A round has ended, before which rank 0 has told this. Says on standard error what was measured best.
  void end_round(std::int32_t told_by_rank_0);

 private:
  void measure();

  std::optional<Drive> wish_;
  Rank rank_;
  bool overlaps_ = false;
  Drive current_ = Drive::kAfter;
  std::optional<DriveTrial> trial_;  // on rank 0
  std::optional<std::chrono::steady_clock::time_point> last_end_;
};

}  // namespace trireme::rounds
