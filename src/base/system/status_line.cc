#include "base/system/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "base/system/fd.h"

namespace trireme {
namespace {

constexpr std::chrono::milliseconds kBetweenShows{200};
constexpr const char* kEmptyLine = "\r\033[K";
constexpr std::size_t kUsualColumns = 80;

}  // namespace

std::string clock_words(double seconds) {
  const auto all = static_cast<std::int64_t>(std::lround(seconds));
  const std::int64_t hours = all / 3600;
  const std::int64_t minutes = all / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, all % 60);
  return fmt::format("{}:{:02}", minutes, all % 60);
}

StatusLine::StatusLine(std::function<void(const std::string&)> write, std::size_t columns)
    : write_(std::move(write)), columns_(columns) {}

StatusLine StatusLine::on_terminal(int fd) {
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // If the terminal accepts no more output, the program goes on.
  return {[fd](const std::string& text) { (void)write_all(fd, text); }, known ? size.ws_col : kUsualColumns};
}

void StatusLine::show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (shown_ && now < *shown_ + kBetweenShows) return;
  shown_ = now;
  // Some terminals start a new line when the last column is written. The text is all ASCII.
  write_(kEmptyLine + text.substr(0, columns_ - 1));
}

void StatusLine::clear() {
  if (!std::exchange(shown_, std::nullopt)) return;
  write_(kEmptyLine);
}

}  // namespace trireme
