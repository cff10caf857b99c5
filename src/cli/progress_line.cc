#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/system/output.h"

namespace trireme::cli {
namespace {

constexpr std::chrono::seconds kPatience{1};  // before the first line on a terminal
constexpr std::chrono::seconds kBetween{10};  // between two lines of a log

}  // namespace

ProgressLine::ProgressLine(std::string command) : command_(std::move(command)) {
  if (::isatty(STDERR_FILENO) == 1) line_.emplace(StatusLine::on_terminal(STDERR_FILENO));
  due_ = start_ + (line_ ? kPatience : kBetween);
}

ProgressLine::~ProgressLine() {
  if (line_) line_->clear();
}

void ProgressLine::operator()(double part) {
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = fmt::format("trireme {}: {:.0f} % done, {} left", command_, 100 * part,
                                       clock_words(part > 0 ? seconds / part - seconds : 0));
  if (line_) return line_->show(text);
  due_ = now + kBetween;
  write_error(text + "\n");
}

}  // namespace trireme::cli
