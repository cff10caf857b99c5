#include "launch/job.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>

#include "base/error.h"
#include "base/text.h"
#include "launch/child.h"
#include "launch/descendants.h"
#include "launch/first_failure.h"
#include "launch/ladder.h"
#include "launch/logs.h"
#include "launch/node_process.h"
#include "launch/relay.h"
#include "launch/signals.h"
#include "launch/stopped_nodes.h"
#include "wire/shm/segment.h"
#include "world/world.h"

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;
using Clock = Ladder::Clock;

// How often everything is looked at that nothing wakes for: the observer, the ladder, signals to another
// thread.
constexpr auto kTick = 100ms;
// How long processes that a node has left behind may hold its output open.
constexpr Clock::duration kHeldOpen = 500ms;
// How long SIGKILL may take. Longer, and the process hangs in the system or belongs to somebody else.
constexpr Clock::duration kKillTakes = 10s;

void check(const JobOptions& options) {
  if (options.nodes < 1 || options.nodes > JobOptions::kMaxNodes) {
    throw bad_input(fmt::format("there cannot be {} nodes on one host", options.nodes),
                    fmt::format("give a number from 1 to {}", with_commas(JobOptions::kMaxNodes)));
  }
  if (options.first_rank < 0 || options.first_rank > options.size() - options.nodes) {
    throw bad_input(fmt::format("ranks {} to {} are not those of a job of {} nodes", options.first_rank,
                                options.first_rank + options.nodes - 1, options.size()));
  }
  if (!options.inputs.empty() && options.inputs.size() != idx(options.nodes)) {
    throw bad_input(fmt::format("{} nodes cannot have {} inputs", options.nodes, options.inputs.size()));
  }
  for (const int fd : options.inherited_fds) {
    if (fd <= STDERR_FILENO) throw bad_input(fmt::format("file descriptor {} cannot be inherited", fd));
  }
}

class Job {
 public:
  Job(const JobOptions& options, const NodeBody& body)
      : options_(options),
        observer_(options.observer == nullptr ? nobody_ : *options.observer),
        relay_(options),
        long_stop_(options.timeout.value_or(world::FoundWorld{}.timeout)),
        ladder_(options.grace) {
    if (options.ends_descendants) descendants_.emplace();
    if (options.signals == nullptr) own_signals_.emplace();
    if (options.logs) make_log_folder(*options.logs);
    processes_ = start_processes(options, body);
    for (const NodeProcess& node : nodes()) ids_.push_back(node.process);
  }

  // Nothing stays behind, also when the observer throws.
  ~Job() {
    for (NodeProcess& node : nodes()) {
      if (!node.gone && !node.end) signal_group(node, SIGKILL);
    }
    for (NodeProcess& node : nodes()) {
      if (!node.gone) reap(node);
    }
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  JobEnd run() {
    observer_.started(ids_);
    while (!is_over()) {
      wait();
      pass_signals_on();
      look_for_exec_errors();
      for (NodeProcess& node : nodes()) relay_.read(node);
      look_for_ends();
      tick();
      look_for_long_stop();
      look_at_output();
      climb_ladder();
      for (NodeProcess& node : nodes()) clear_up(node);
      relay_.queue().write_some();
    }
    if (exec_error_) throw Error(*exec_error_);
    return conclude();
  }

 private:
  std::vector<NodeProcess>& nodes() { return processes_.nodes; }
  NodeProcess& node_of(Rank rank) { return nodes()[idx(rank - options_.first_rank)]; }

  bool is_over() {
    const auto is_gone = [](const NodeProcess& node) { return node.gone; };
    return relay_.queue().empty() && std::all_of(nodes().begin(), nodes().end(), is_gone);
  }

  // Waits until something happens, or for the next tick.
  void wait() {
    std::vector<pollfd> fds;
    const auto add = [&](const Fd& fd) {
      if (fd) fds.push_back({fd.get(), POLLIN, 0});
    };
    const OutputQueue& queue = relay_.queue();
    for (const NodeProcess& node : nodes()) {
      if (!node.end) add(node.pidfd);
      for (const NodeStream& stream : node.streams) {
        if (!queue.full()) add(stream.pipe);
      }
    }
    add(processes_.report);
    if (!queue.empty()) fds.push_back({queue.next_fd(), POLLOUT, 0});
    // An error is no more than a signal that ended the wait.
    poll(fds.data(), fds.size(), static_cast<int>(kTick.count()));
  }

  void signal_all(int signal) {
    const bool is_for_leaving = signal != SIGUSR1 && signal != SIGUSR2;
    for (NodeProcess& node : nodes()) {
      if (node.gone) continue;
      if (!observer_.deliver(node.rank, signal)) signal_group(node, signal);
      node.signalled = node.signalled || is_for_leaving;
    }
  }

  std::vector<int> new_signals() {
    std::vector<int> signals = (options_.signals == nullptr ? &*own_signals_ : options_.signals)->take();
    const std::vector<int> more = observer_.more_signals();
    signals.insert(signals.end(), more.begin(), more.end());
    return signals;
  }

  void pass_signals_on() {
    const Clock::time_point now = Clock::now();
    for (const int signal : new_signals()) {
      if (signal == SIGUSR1 || signal == SIGUSR2) {
        signal_all(signal);
        continue;
      }
      look_for_ends();  // who has ended by now did so by itself
      const bool again = interrupted_.has_value();
      if (!again) {
        interrupted_ = signal;
        give_up_output_ = now + 2 * grace_when_interrupted();
      }
      ladder_.begin(now, grace_when_interrupted());
      if (again && signal == SIGINT) {
        ladder_.hurry(now);
      } else {
        signal_all(signal);
      }
    }
  }

  [[nodiscard]] Clock::duration grace_when_interrupted() const {
    return options_.grace_when_interrupted.value_or(options_.grace);
  }

  void look_for_exec_errors() {
    std::optional<Failure> error = receive_exec_error(processes_.report);
    if (!error || exec_error_) return;
    exec_error_ = std::move(error);
    ladder_.hurry(Clock::now());
  }

  void look_for_ends() {
    std::optional<Rank> bad;
    for (NodeProcess& node : nodes()) {
      if (node.end) continue;
      node.end = look_for_end(node);
      if (!node.end) continue;
      node.ended = Clock::now();
      node.end->after = node.ended - begin_;
      if (options_.memory) options_.memory->mark_dead(node.rank, node.process);
      relay_.add_line(observer_.ended(node.rank, *node.end));
      if (node.end->ok() || !node.end->by_itself) continue;
      // One that was killed comes before others that end at once: nodes that lose a peer exit by themselves.
      const bool killed = node.end->how == RankEnd::How::kKilled;
      if (!bad || (killed && node_of(*bad).end->how != RankEnd::How::kKilled)) bad = node.rank;
    }
    if (!bad || interrupted_ || exec_error_) return;
    if (!first_bad_end_) first_bad_end_ = bad;
    ladder_.begin(Clock::now());
  }

  // Looks, about ten times a second, at everything that costs more than a glance.
  void tick() {
    const Clock::time_point now = Clock::now();
    if (now < next_tick_) return;
    next_tick_ = now + kTick;
    if (descendants_) Descendants::wait_for_ended(ids_);
    if (interrupted_) return;
    look_for_report();
    end_wanted_ = end_wanted_ || observer_.wants_end();
    if (report_ || end_wanted_) ladder_.begin(now);
  }

  // The failure that a node tells first stands.
  void look_for_report() {
    if (options_.memory && !report_ && !interrupted_) report_ = options_.memory->first_failure();
  }

  void look_for_long_stop() {
    if (!options_.ends_when_stopped || ladder_.begun()) return;
    const Clock::time_point now = Clock::now();
    report_ = long_stop_.look(nodes(), now);
    if (report_) ladder_.begin(now);
  }

  void look_at_output() {
    const Clock::time_point now = Clock::now();
    if (relay_.failure()) ladder_.begin(now);
    if (now >= give_up_output_) relay_.queue().discard();
  }

  void climb_ladder() {
    const Clock::time_point now = Clock::now();
    if (ladder_.begun() && !interrupted_ && mark_stopped(nodes())) ladder_.hurry(now);
    const int signal = ladder_.due(now);
    if (signal == 0) return;
    signal_all(signal);
    if (signal == SIGKILL) killed_ = now;
  }

  // A node goes when it has ended, and all is read that it and those it has left behind printed.
  void clear_up(NodeProcess& node) {
    if (node.gone) return;
    if (!node.end) {
      if (Clock::now() >= killed_ + kKillTakes) abandon(node);
      return;
    }
    const auto is_closed = [](const NodeStream& stream) { return !stream.pipe; };
    const bool all_read = std::all_of(node.streams.begin(), node.streams.end(), is_closed);
    if (!all_read && (relay_.queue().full() || Clock::now() < node.ended + kHeldOpen)) return;
    reap(node);
    finish(node);
  }

  void finish(NodeProcess& node) {
    relay_.read_the_rest(node);
    observer_.gone(node.rank);
  }

  // The system tries again when this process ends.
  void abandon(NodeProcess& node) {
    relay_.say(fmt::format("rank {} (process {}) does not end by SIGKILL; it is left behind", node.rank,
                           node.process));
    node.end = RankEnd{node.process, RankEnd::How::kKilled, SIGKILL, false, Clock::now() - begin_};
    node.gone = true;
    finish(node);
  }

  JobEnd conclude() {
    look_for_report();
    JobEnd end;
    for (const NodeProcess& node : nodes()) {
      end.ranks.push_back(*node.end);
      end.ranks.back().silent = !node.printed;
      end.ranks.back().exception = node.exception;
    }
    end.elapsed = Clock::now() - begin_;
    end.interrupted = interrupted_;
    end.first_failure =
        tell_first_failure(end.ranks, first_bad_end_, report_, options_.first_rank, options_.logs);
    if (const auto failure = relay_.failure(); failure && !end.first_failure) {
      end.first_failure = FirstFailure{*failure, {}, {}};
    }
    return end;
  }

  const JobOptions& options_;
  JobObserver nobody_;
  JobObserver& observer_;
  const Clock::time_point begin_ = Clock::now();
  std::optional<Descendants> descendants_;
  std::optional<CaughtSignals> own_signals_;
  NodeProcesses processes_;
  std::vector<pid_t> ids_;  // by rank
  Relay relay_;

  LongStop long_stop_;
  Ladder ladder_;
  Clock::time_point killed_ = Clock::time_point::max() - kKillTakes;
  Clock::time_point give_up_output_ = Clock::time_point::max();
  Clock::time_point next_tick_{};
  std::optional<int> interrupted_;
  std::optional<Rank> first_bad_end_;
  std::optional<Failure> report_;
  bool end_wanted_ = false;  // by the observer
  std::optional<Failure> exec_error_;
};

}  // namespace

JobEnd run_job(const JobOptions& options, const NodeBody& body) {
  check(options);
  return Job(options, body).run();
}

}  // namespace trireme::launch
