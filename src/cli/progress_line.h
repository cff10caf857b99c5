// The progress of a long operation.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/system/status_line.h"

namespace trireme::cli {

/// Writes to standard error: on a terminal one line, from the second second on; otherwise every ten seconds.
class ProgressLine {
 public:
  /// For `trireme COMMAND`.
  explicit ProgressLine(std::string command);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `part` is the fraction that is done, from 0 to 1.
  void operator()(double part);

 private:
  using Clock = std::chrono::steady_clock;

  std::string command_;
  std::optional<StatusLine> line_;  // if there is a terminal
  Clock::time_point start_ = Clock::now();
  Clock::time_point due_;
};

}  // namespace trireme::cli
