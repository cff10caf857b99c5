#include "rounds/drive_choice.h"

#include <fmt/format.h>

#include "base/output.h"

namespace trireme::rounds {

void DriveChoice::begin_overlap() {
  if (overlaps_) return;
  overlaps_ = true;
  if (wish_) current_ = *wish_;
  if (!wish_ && rank_ == 0) trial_.emplace();
}

std::int32_t DriveChoice::told() const {
  return static_cast<std::int32_t>(trial_ ? trial_->current() : current_);
}

void DriveChoice::end_round(std::int32_t told_by_rank_0) {
  measure();
  if (overlaps_ && !wish_) current_ = static_cast<Drive>(told_by_rank_0);
}

void DriveChoice::measure() {
  if (!trial_ || trial_->over()) return;
  const auto now = std::chrono::steady_clock::now();
  if (last_end_) trial_->took(std::chrono::duration<double>(now - *last_end_).count());
  last_end_ = now;
  if (trial_->over()) write_error(fmt::format("trireme: buckets are exchanged {}\n", trial_->in_words()));
}

}  // namespace trireme::rounds
