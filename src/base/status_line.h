// What is told while something takes long: on a terminal one line, which is written over in place.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace trireme {

/// "0:07", "6:59", "1:06:59".
[[nodiscard]] std::string clock_words(double seconds);

/// One line of a terminal, written over in place.
class StatusLine {
 public:
  /// Keeps to so many columns; longer lines could not be written over.
  StatusLine(std::function<void(const std::string&)> write, std::size_t columns);
  /// Of an open terminal, as wide as it is now; the caller keeps the descriptor.
  [[nodiscard]] static StatusLine on_terminal(int fd);

  /// Not more than five times a second, unless somebody has cleared it.
  void show(const std::string& text);
  /// Leaves the line empty, for whoever else has something to say.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::function<void(const std::string&)> write_;
  std::size_t columns_;
  std::optional<Clock::time_point> shown_;  // nothing: the line is empty
};

}  // namespace trireme
