// What is told of a training while it goes on: a line every so many steps or, on a terminal, one line that is
// written over in place.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace trireme {

/// Where a training is.
struct Progress {
  std::int64_t step = 0;  ///< the first is 1
  std::int64_t steps = 0;
  double loss = 0;
  double samples_per_s = 0;
  std::int64_t bytes_per_step = 0;  ///< that are sent
  std::int64_t messages_per_step = 0;
  double seconds_left = 0;
};

/// "step 50 of 704, 6:59 left: loss 0.5312, 1,590 samples/s, 10.1 MB and 24 messages per step".
[[nodiscard]] std::string in_words(const Progress& progress);

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
