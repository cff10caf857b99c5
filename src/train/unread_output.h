// The result of a training comes on standard output at its end, perhaps hours later. Who reads there may have
// left long before.
#pragma once

#include <vector>

namespace trireme::train {

class StepBoard;

/// Whether standard output leads to a pipe or a socket whose other end is closed.
[[nodiscard]] bool is_output_unread();

/// Watches whether the result of a training would still be read, and says so once where it would not. Without
/// a folder that keeps the result (`is_kept`) the training is then to end, as other programs do that write
/// where nobody reads.
class UnreadOutput {
 public:
  /// `steps`: how far the training is, if anybody says so; it outlives this.
  UnreadOutput(bool is_kept, const StepBoard* steps) : is_kept_(is_kept), steps_(steps) {}

  /// The signals to send to the nodes now: SIGTERM, once, if the training is to end. SIGPIPE would not do,
  /// because a node blocks it while it writes. When the result is being printed there are none any more: a
  /// reader that leaves then may have read enough.
  [[nodiscard]] std::vector<int> new_signals();

 private:
  bool is_kept_;
  const StepBoard* steps_;
  bool told_ = false;
};

}  // namespace trireme::train
