// Somebody wishes the training of this process to end in order: after the step at hand, with everything
// saved.
#pragma once

namespace trireme::train {

/// From now on SIGINT, SIGTERM and SIGHUP to this process are such a wish instead of its end. A SIGHUP that
/// was ignored before stays ignored (nohup).
void stop_on_signals();
/// The same wish from elsewhere in this process.
void request_stop();
[[nodiscard]] bool stop_requested();

}  // namespace trireme::train
