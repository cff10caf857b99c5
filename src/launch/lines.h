// Lines that nodes print: cut out of what comes, marked with the rank, and queued until they are written.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace trireme::launch {

/// "[ 3] ": as wide for every rank of a job.
[[nodiscard]] std::string rank_prefix(Rank rank, Rank nodes);

/// Cuts one stream of bytes into lines. A line that is too long to wait for its end goes on in pieces, each a
/// line of its own; all other bytes pass as they are.
class LineCutter {
 public:
  static constexpr std::size_t kLongestPiece = std::size_t{64} << 10;

  explicit LineCutter(std::string prefix, std::size_t longest = kLongestPiece)
      : prefix_(std::move(prefix)), longest_(longest) {}

  /// Gives the lines that are whole with these bytes, prefixed, and keeps the rest.
  [[nodiscard]] std::string take(std::string_view bytes);
  /// The last line, if its end never came.
  [[nodiscard]] std::string finish();

 private:
  void end_line(std::string& lines);

  std::string prefix_;
  std::size_t longest_;
  std::string unfinished_;
};

/// Lines that wait to be written to one of several file descriptors, in one order for all of them. So two
/// lines never mix, not even where two descriptors lead to the same terminal. A descriptor that cannot be
/// written to any more is given up alone; the others go on.
class OutputQueue {
 public:
  void add(int fd, std::string_view lines);

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  /// So much waits that no more should be read before it is written.
  [[nodiscard]] bool full() const;
  /// The descriptor that must take bytes first, or −1.
  [[nodiscard]] int next_fd() const { return pieces_.empty() ? -1 : pieces_.front().fd; }

  /// Writes as much as is taken without waiting. Descriptors need not be non-blocking.
  void write_some();
  /// Throws away what waits and all that comes.
  void discard();
  /// Why the descriptor was given up, as `errno` says it. Lines for it are thrown away from then on.
  [[nodiscard]] std::optional<int> error_of(int fd) const;

 private:
  struct Piece {
    int fd;
    std::string text;
    std::size_t written = 0;
  };

  void give_up(int fd, int error);

  std::deque<Piece> pieces_;
  std::size_t waiting_ = 0;  // bytes
  bool discards_ = false;
  std::map<int, int> errors_;  // by descriptor
};

}  // namespace trireme::launch
