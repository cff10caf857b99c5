#include "train/start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/output.h"
#include "base/text.h"
#include "launch/job.h"
#include "launch/lines.h"
#include "launch/signals.h"
#include "train/step_board.h"
#include "train/stop_request.h"
#include "train/unread_output.h"
#include "wire/shm/segment.h"
#include "wire/threads/in_process.h"
#include "world/connection.h"
#include "world/meeting_place.h"

namespace trireme::train {
namespace {

// A node from its place on a wire to its status.
int run_node(World world, const WorldBody& body) {
  try {
    body(world);
    return kExitDone;
  } catch (const std::exception& exception) {
    leave(world, exception);
    const Failure failure = failure_of(exception, world.rank());
    say_of_train(to_string(failure));
    return exit_status_of(failure);
  }
}

class ThreadPlace final : public world::Connection {
 public:
  ThreadPlace(wire::threads::InProcessFabric& fabric, Rank rank) : wire_(fabric.wire(rank)) {}
  [[nodiscard]] wire::Wire& wire() override { return wire_; }
  [[nodiscard]] std::string in_words() const override {
    return counted(wire_.size(), "node") + ", threads of one process";
  }

 private:
  wire::Wire& wire_;
};

void say_how_to_go_on(const StartOptions& options) {
  const std::string words = options.how_to_go_on ? options.how_to_go_on() : "";
  if (!words.empty()) say_of_train(words);
}

int tell_interrupted(const StartOptions& options, int signal) {
  if (options.interrupted) options.interrupted();
  say_of_train(fmt::format("interrupted by signal {} ({})", signal, sigdescr_np(signal)));
  say_how_to_go_on(options);
  return kExitInterrupted;
}

bool can_save(const StartOptions& options, int signal) {
  return options.saves_when_interrupted && (signal == SIGINT || signal == SIGTERM || signal == SIGHUP);
}

// Threads cannot be asked to leave at once: a signal ends the process, with the words and the status that it
// has with processes for nodes. If there is something to save, the first one asks them to do that.
class ThreadEnd {
 public:
  explicit ThreadEnd(const StartOptions& options) : options_(options) {}
  ~ThreadEnd() {
    thread_.request_stop();
    thread_.join();
  }
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;

  /// The signal after which the nodes have ended in order, if there was one.
  [[nodiscard]] int asked_by() const { return asked_by_.load(); }

 private:
  void watch(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kTick(100);
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    std::chrono::steady_clock::time_point give_up;
    while (!never.wait_for(lock, stop, kTick, [&] { return stop.stop_requested(); })) {
      std::vector<int> signals = signals_.take();
      for (const int signal : unread_.new_signals()) signals.push_back(signal);
      for (const int signal : signals) {
        if (signal == SIGUSR1 || signal == SIGUSR2) continue;
        const bool again = asked_by() != 0;
        if (!can_save(options_, signal) || (again && signal == SIGINT)) end(signal);
        if (again) continue;
        asked_by_ = signal;
        give_up = std::chrono::steady_clock::now() + options_.timeout;
        request_stop();
      }
      if (asked_by() != 0 && std::chrono::steady_clock::now() >= give_up) end(asked_by());
    }
  }

  [[noreturn]] void end(int signal) try {
    const auto alone = hold_output();  // no step is reported after the last words
    ::_exit(tell_interrupted(options_, signal));
  } catch (const std::exception& error) {
    say_of_train(error.what());
    ::_exit(kExitFailed);
  }

  const StartOptions& options_;
  std::atomic<int> asked_by_{0};
  launch::CaughtSignals signals_;
  UnreadOutput unread_{options_.is_kept, options_.steps};
  std::jthread thread_{[this](const std::stop_token& stop) { watch(stop); }};
};

int on_threads(const StartOptions& options, const WorldBody& body) {
  const ThreadEnd end(options);
  wire::threads::InProcessFabric fabric(options.nodes);
  std::vector<int> statuses(idx(options.nodes));
  {
    std::vector<std::jthread> threads;
    threads.reserve(idx(options.nodes));
    for (Rank rank = 0; rank < options.nodes; ++rank) {
      threads.emplace_back([&, rank] {
        statuses[idx(rank)] =
            run_node(WorldAccess::make(std::make_unique<ThreadPlace>(fabric, rank), options.timeout), body);
      });
    }
  }
  const std::optional<Failure> failure = fabric.first_failure();
  if (failure && options.nodes > 1) say_of_train("first failure: " + to_string(*failure));
  if (end.asked_by() != 0) return tell_interrupted(options, end.asked_by());
  if (failure) say_how_to_go_on(options);
  return *std::max_element(statuses.begin(), statuses.end());
}

// Marks the lines of all ranks but 0, and keeps the last ones of each. Watches that the result will be read.
class TrainingObserver final : public launch::JobObserver {
 public:
  explicit TrainingObserver(const StartOptions& options) : options_(options), ranks_(idx(options.nodes)) {}

  std::vector<int> more_signals() override { return unread_.new_signals(); }

  bool line(Rank rank, launch::NodeOutput which, std::string& line) override {
    std::deque<std::string>& lines = ranks_[idx(rank)];
    lines.push_back(printable(line));
    if (lines.size() > kMost) lines.pop_front();
    if (rank > 0) line.insert(0, launch::rank_prefix(rank, options_.nodes));
    // Over the line that rank 0 keeps there.
    if (which == launch::NodeOutput::kErr && options_.terminal) line.insert(0, "\r\033[K");
    return true;
  }
  void tell_last_lines(Rank rank) const {
    const std::deque<std::string>& lines = ranks_[idx(rank)];
    say_of_train(lines.empty() ? fmt::format("rank {} has printed nothing", rank)
                               : fmt::format("the last lines of rank {}:", rank));
    for (const std::string& line : lines) write_error(fmt::format("    {}\n", line));
  }

 private:
  static constexpr std::size_t kMost = 10;

  const StartOptions& options_;
  UnreadOutput unread_{options_.is_kept, options_.steps};
  std::vector<std::deque<std::string>> ranks_;  // by rank, the last lines
};

// A program that ends with one of our own statuses has said why.
bool died_without_a_word(const launch::RankEnd& end) {
  return end.how == launch::RankEnd::How::kKilled || end.code > kExitBadInput;
}

// Some failures say it themselves.
std::string where_in_training(const launch::FirstFailure& first, const StepBoard* steps) {
  if (steps == nullptr || !first.rank || first.text.find(" of training") != std::string::npos) return "";
  const std::string where = steps->in_words(*first.rank);
  return where.empty() ? "" : "in " + where + ": ";
}

int tell_end(const launch::JobEnd& end, const TrainingObserver& observer, const StartOptions& options) {
  if (end.interrupted) return tell_interrupted(options, *end.interrupted);
  if (!end.first_failure) return kExitDone;
  const auto& [text, rank, hint] = *end.first_failure;
  if (rank && died_without_a_word(end.ranks[idx(*rank)])) observer.tell_last_lines(*rank);
  say_of_train("first failure: " + where_in_training(*end.first_failure, options.steps) + text +
               (hint.empty() ? "" : "; " + hint));
  say_how_to_go_on(options);
  return rank && end.ranks[idx(*rank)].refused_input() ? kExitBadInput : kExitFailed;
}

launch::JobOptions job_options(const StartOptions& options) {
  launch::JobOptions job;
  job.speaker = "trireme train";
  job.nodes = options.nodes;
  job.timeout = options.timeout;
  job.logs = options.logs;
  if (options.continues_logs) job.old_logs = launch::OldLog::kContinued;
  if (options.saves_when_interrupted)
    job.grace_when_interrupted = options.timeout / 2;  // twice, then SIGKILL
  job.prefix = false;
  job.signals = options.signals;
  if (options.terminal) job.inherited_fds.push_back(*options.terminal);
  if (options.lock) job.inherited_fds.push_back(*options.lock);
  job.memory = wire::shm::Segment::create(options.nodes);
  return job;
}

int in_processes(const StartOptions& options, const WorldBody& body) {
  TrainingObserver observer(options);
  launch::JobOptions job = job_options(options);
  job.observer = &observer;
  world::FoundWorld found;
  found.size = options.nodes;
  found.wire = options.wire;
  found.segment_fd = job.memory->fd();  // also by TCP: there nodes say why they fail
  found.timeout = options.timeout;
  Fd listener;
  if (options.wire == wire::WireKind::kTcp) {
    listener = world::meet_on_loopback(found);
    job.inherited_fds.push_back(listener.get());
  }
  const launch::JobEnd end = launch::run_job(job, [&](Rank rank) {
    found.rank = rank;
    if (options.saves_when_interrupted) stop_on_signals();
    return run_in_world(found, body);
  });
  return tell_end(end, observer, options);
}

}  // namespace

int run_here(const StartOptions& options, const WorldBody& body) {
  return options.wire == wire::WireKind::kThreads ? on_threads(options, body) : in_processes(options, body);
}

int run_in_world(const world::FoundWorld& found, const WorldBody& body) {
  std::unique_ptr<world::Connection> connection;
  try {
    connection = world::connect(found, Deadline::after(found.timeout));
  } catch (const Error& error) {
    const Failure failure = failure_of(error, found.rank);
    say_of_train(to_string(failure));
    return exit_status_of(failure);
  }
  return run_node(WorldAccess::make(std::move(connection), found.timeout), body);
}

Failure failure_of(const std::exception& exception, Rank rank) {
  Failure failure = trireme::failure_of(exception);
  if (!failure.rank) failure.rank = rank;
  return failure;
}

void leave(World& world, const std::exception& why) {
  WorldAccess::inside(world).wire().leave(failure_of(why, world.rank()));
}

std::chrono::steady_clock::time_point process_start() {
  std::ifstream file("/proc/self/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // The name in brackets may hold anything; the start is the 22nd field, the 20th after it.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
  timespec since_boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const auto now = std::chrono::seconds(since_boot.tv_sec) + std::chrono::nanoseconds(since_boot.tv_nsec);
  const double started = std::stod(words.at(19)) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::chrono::duration<double> age = now - std::chrono::duration<double>(started);
  return std::chrono::steady_clock::now() -
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(age);
}

void say_of_train(const std::string& sentence) { write_error(fmt::format("trireme train: {}\n", sentence)); }

}  // namespace trireme::train
