#include "launch/lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace trireme::launch {
namespace {

constexpr std::size_t kFull = std::size_t{1} << 20;
constexpr std::size_t kLargePiece = std::size_t{64} << 10;

bool takes_bytes(int fd) {
  pollfd now{fd, POLLOUT, 0};
  return poll(&now, 1, 0) > 0;
}

}  // namespace

std::string rank_prefix(Rank rank, Rank nodes) {
  return fmt::format("[{:>{}}] ", rank, fmt::formatted_size("{}", nodes - 1));
}

std::string LineCutter::take(std::string_view bytes) {
  std::string lines;
  while (!bytes.empty()) {
    if (unfinished_.size() == longest_ && bytes.front() != '\n') end_line(lines);
    const std::size_t room = longest_ - unfinished_.size();
    const std::size_t end = bytes.substr(0, room + 1).find('\n');
    const bool ends = end != std::string_view::npos;
    const std::size_t count = ends ? end : std::min(room, bytes.size());
    unfinished_.append(bytes.substr(0, count));
    bytes.remove_prefix(count + (ends ? 1 : 0));
    if (ends) end_line(lines);
  }
  return lines;
}

std::string LineCutter::finish() {
  std::string lines;
  if (!unfinished_.empty()) end_line(lines);
  return lines;
}

void LineCutter::end_line(std::string& lines) {
  lines.append(prefix_).append(unfinished_).push_back('\n');
  unfinished_.clear();
}

void OutputQueue::add(int fd, std::string_view lines) {
  if (discards_ || errors_.contains(fd) || lines.empty()) return;
  waiting_ += lines.size();
  if (!pieces_.empty() && pieces_.back().fd == fd && pieces_.back().text.size() < kLargePiece) {
    pieces_.back().text.append(lines);
  } else {
    pieces_.push_back({fd, std::string(lines)});
  }
}

bool OutputQueue::full() const { return waiting_ >= kFull; }

void OutputQueue::write_some() {
  while (!pieces_.empty() && takes_bytes(pieces_.front().fd)) {
    Piece& piece = pieces_.front();
    // A pipe that takes bytes takes this many: so a blocking one does not block.
    const std::size_t size = std::min<std::size_t>(piece.text.size() - piece.written, PIPE_BUF);
    const ssize_t count = write(piece.fd, piece.text.data() + piece.written, size);
    if (count < 0) {
      if (errno == EINTR || errno == EAGAIN) return;
      give_up(piece.fd, errno);
      continue;
    }
    piece.written += idx(count);
    waiting_ -= idx(count);
    if (piece.written == piece.text.size()) pieces_.pop_front();
  }
}

void OutputQueue::give_up(int fd, int error) {
  errors_.emplace(fd, error);
  std::erase_if(pieces_, [&](const Piece& piece) {
    if (piece.fd == fd) waiting_ -= piece.text.size() - piece.written;
    return piece.fd == fd;
  });
}

std::optional<int> OutputQueue::error_of(int fd) const {
  const auto error = errors_.find(fd);
  return error == errors_.end() ? std::nullopt : std::optional(error->second);
}

void OutputQueue::discard() {
  discards_ = true;
  pieces_.clear();
  waiting_ = 0;
}

}  // namespace trireme::launch
