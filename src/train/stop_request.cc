#include "train/stop_request.h"

#include <atomic>
#include <csignal>

namespace trireme::train {
namespace {

// Relaxed: it tells that somebody wished it, and nothing else is read because of it.
std::atomic<bool> requested;
static_assert(std::atomic<bool>::is_always_lock_free);  // else not for a signal handler

void on_signal(int /*signal*/) { requested.store(true, std::memory_order_relaxed); }

}  // namespace

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

void request_stop() { on_signal(0); }
bool stop_requested() { return requested.load(std::memory_order_relaxed); }

}  // namespace trireme::train
