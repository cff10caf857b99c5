#include "rounds/drive_choice.h"

#include <fmt/format.h>

#include "base/system/output.h"

namespace trireme::rounds {

DriveChoice::DriveChoice(std::optional<Drive> wish, Rank rank, std::chrono::nanoseconds timeout)
    : wish_(wish), rank_(rank), timeout_(timeout), driver_(make_round_driver(current_, timeout)) {}

void DriveChoice::begin_overlap() {
  if (overlaps_) return;
  overlaps_ = true;
  if (wish_) change_to(*wish_);
  if (!wish_ && rank_ == 0) trial_.emplace();
}

void DriveChoice::end_overlap() {
  overlaps_ = false;
  wish_ = Drive::kAfter;
  change_to(Drive::kAfter);
}

std::int32_t DriveChoice::told() const {
  return static_cast<std::int32_t>(trial_ ? trial_->current() : current_);
}

void DriveChoice::end_round(std::int32_t told_by_rank_0) {
  measure();
  if (overlaps_ && !wish_) change_to(static_cast<Drive>(told_by_rank_0));
}

void DriveChoice::measure() {
  if (!trial_ || trial_->over()) return;
  const auto now = std::chrono::steady_clock::now();
  if (last_end_) trial_->took(std::chrono::duration<double>(now - *last_end_).count());
  last_end_ = now;
  if (trial_->over()) write_error(fmt::format("trireme: buckets are exchanged {}\n", trial_->in_words()));
}

void DriveChoice::change_to(Drive drive) {
  if (drive == current_) return;
  current_ = drive;
  driver_ = make_round_driver(drive, timeout_);
}

}  // namespace trireme::rounds
