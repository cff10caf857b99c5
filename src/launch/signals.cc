#include "launch/signals.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>

namespace trireme::launch {
namespace {

constexpr std::array<int, CaughtSignals::kSignals> kCaught{SIGINT,  SIGTERM, SIGHUP,
                                                           SIGQUIT, SIGUSR1, SIGUSR2};

// Signal handlers belong to the process, so everything that they need does, too.
std::array<std::atomic<unsigned>, CaughtSignals::kSignals> came;
static_assert(std::atomic<unsigned>::is_always_lock_free);  // else not for a signal handler

std::mutex mutex;
int users = 0;                                                 // guarded by the mutex
std::array<struct sigaction, CaughtSignals::kSignals> before;  // set by the first user, for the last
struct sigaction pipe_before;
struct sigaction child_before;

// Relaxed: a count tells that a signal came, and nothing else is read because of it.
void count_signal(int signal) {
  const auto at = std::find(kCaught.begin(), kCaught.end(), signal);
  if (at != kCaught.end()) {
    came[static_cast<std::size_t>(at - kCaught.begin())].fetch_add(1, std::memory_order_relaxed);
  }
}

struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: waits are to end
  sigemptyset(&action.sa_mask);
  return action;
}

bool stays_ignored(std::size_t i) { return kCaught[i] == SIGHUP && before[i].sa_handler == SIG_IGN; }

void install() {
  const struct sigaction counting = action_of(count_signal);
  for (std::size_t i = 0; i < kCaught.size(); ++i) {
    sigaction(kCaught[i], nullptr, &before[i]);
    if (!stays_ignored(i)) sigaction(kCaught[i], &counting, nullptr);
  }
  const struct sigaction ignore = action_of(SIG_IGN);
  sigaction(SIGPIPE, &ignore, &pipe_before);
  // The system throws away how children ended while this signal is ignored.
  sigaction(SIGCHLD, nullptr, &child_before);
  const struct sigaction leave = action_of(SIG_DFL);
  if (child_before.sa_handler == SIG_IGN) sigaction(SIGCHLD, &leave, nullptr);
}

void uninstall() {
  for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &before[i], nullptr);
  sigaction(SIGPIPE, &pipe_before, nullptr);
  sigaction(SIGCHLD, &child_before, nullptr);
}

}  // namespace

CaughtSignals::CaughtSignals() {
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < kSignals; ++i) seen_[i] = came[i].load(std::memory_order_relaxed);
  if (users++ == 0) install();
}

CaughtSignals::~CaughtSignals() {
  const std::lock_guard lock(mutex);
  if (--users == 0) uninstall();
}

std::vector<int> CaughtSignals::take() {
  std::vector<int> signals;
  for (std::size_t i = 0; i < kSignals; ++i) {
    for (const unsigned now = came[i].load(std::memory_order_relaxed); seen_[i] != now; ++seen_[i]) {
      signals.push_back(kCaught[i]);
    }
  }
  return signals;
}

CaughtSignals& CaughtSignals::to_the_end() {
  static CaughtSignals& signals = *new CaughtSignals;  // never destroyed: that would be before the end
  return signals;
}

void CaughtSignals::restore_in_child() {
  const struct sigaction leave = action_of(SIG_DFL);
  for (std::size_t i = 0; i < kCaught.size(); ++i) {
    if (!stays_ignored(i)) sigaction(kCaught[i], &leave, nullptr);
  }
  sigaction(SIGPIPE, &pipe_before, nullptr);
  sigaction(SIGCHLD, &child_before, nullptr);
  users = 0;  // a job inside this process begins anew
}

}  // namespace trireme::launch
