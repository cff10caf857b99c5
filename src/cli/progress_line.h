// How far something is that takes long.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/status_line.h"

namespace trireme::cli {

/// On standard error: on a terminal in one line, from the second second on; elsewhere every ten seconds.
class ProgressLine {
 public:
  /// Of `trireme COMMAND`.
  explicit ProgressLine(std::string command);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// This part is done, from 0 to 1.
  void operator()(double part);

 private:
  using Clock = std::chrono::steady_clock;

  std::string command_;
  std::optional<StatusLine> line_;  // of a terminal
  Clock::time_point start_ = Clock::now();
  Clock::time_point due_;
};

}  // namespace trireme::cli
