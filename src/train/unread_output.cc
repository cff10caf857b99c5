#include "train/unread_output.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "train/start.h"
#include "train/step_board.h"

namespace trireme::train {

bool is_output_unread() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

std::vector<int> UnreadOutput::new_signals() {
  if (told_ || (steps_ != nullptr && steps_->concluded()) || !is_output_unread()) return {};
  told_ = true;
  if (is_kept_) {
    say_of_train("nobody reads the output any more; going on, for the folder of --out");
    return {};
  }
  say_of_train("nobody reads the output any more, and nothing is kept without --out: the training ends");
  return {SIGTERM};
}

}  // namespace trireme::train
