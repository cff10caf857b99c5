#include "wire/mpi/term_signal.h"

#include <atomic>
#include <cerrno>

namespace trireme::wire::mpi {
namespace {

constexpr int kSecondsToReport = 1;

// Global, because a signal belongs to the process. Relaxed: no other data depends on the flag.
std::atomic<bool> came_{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not meet a lock");
timer_t again_{};

// Calls only what POSIX allows in a signal handler.
void on_term(int signal) {
  const int error = errno;
  if (came_.exchange(true, std::memory_order_relaxed)) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // takes effect when this handler returns
  } else {
    const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = kSecondsToReport, .tv_nsec = 0}};
    ::timer_settime(again_, 0, &once, nullptr);
  }
  errno = error;
}

}  // namespace

TermSignal::TermSignal() {
  ::sigaction(SIGTERM, nullptr, &before_);
  if (before_.sa_handler != SIG_DFL) return;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGTERM;
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;  // then the signal ends the process
  again_ = timer_;
  came_.store(false, std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = on_term;
  action.sa_flags = SA_RESTART;
  taken_ = ::sigaction(SIGTERM, &action, nullptr) == 0;
}

TermSignal::~TermSignal() {
  if (!taken_) return;
  ::sigaction(SIGTERM, &before_, nullptr);
  if (!came()) ::timer_delete(timer_);  // otherwise it stays: the process is still due to end
}

bool TermSignal::came() const { return taken_ && came_.load(std::memory_order_relaxed); }

}  // namespace trireme::wire::mpi
