// Progress of a long operation: one line of a terminal, which is overwritten in place.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace trireme {

/// "0:07", "6:59", "1:06:59".
[[nodiscard]] std::string clock_words(double seconds);

/// One line of a terminal, overwritten in place.
class StatusLine {
 public:
  /// Cuts lines to so many columns; longer ones could not be overwritten.
  StatusLine(std::function<void(const std::string&)> write, std::size_t columns);
  /// For an open terminal with its current width; the caller keeps the descriptor.
  [[nodiscard]] static StatusLine on_terminal(int fd);

  /// Writes at most five times a second, except after `clear`.
  void show(const std::string& text);
  /// Empties the line, so that other output can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::function<void(const std::string&)> write_;
  std::size_t columns_;
  std::optional<Clock::time_point> shown_;  // empty: the line is empty
};

}  // namespace trireme
