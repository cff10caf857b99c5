#include "launch/job.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/duration.h"
#include "base/process.h"
#include "base/text.h"
#include "launch/child.h"
#include "launch/first_failure.h"
#include "launch/ladder.h"
#include "launch/logs.h"
#include "launch/long_stop.h"
#include "launch/node_process.h"
#include "launch/signals.h"
#include "world/world.h"

namespace trireme::launch {
namespace {

using namespace std::chrono_literals;
using Clock = Ladder::Clock;

// How often everything is looked at that nothing wakes for: the hook, the ladder, signals to another thread.
constexpr int kTickMilliseconds = 100;
// How long what a node has left behind may hold its output open.
constexpr Clock::duration kHeldOpen = 500ms;
// How often it is looked whether all nodes are stopped, and by how much the launcher is more patient than a
// node that waits for others: it knows more about them.
constexpr Clock::duration kStopLook = 500ms;
constexpr Clock::duration kMorePatience = 1s;
// How long SIGKILL may take. Longer, and the process hangs in the system or belongs to somebody else.
constexpr Clock::duration kKillTakes = 10s;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
// What one pipe can hold, and more: the most that is read of one where somebody writes without end.
constexpr int kLastReads = 32;

Clock::duration longest_stop(const JobOptions& options) {
  const auto most = std::chrono::nanoseconds::max() - kMorePatience;
  return std::min(options.timeout.value_or(world::FoundWorld{}.timeout), most) + kMorePatience;
}

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
      : options_(options), long_stop_(longest_stop(options)), ladder_(options.grace) {
    if (options.signals == nullptr) own_signals_.emplace();
    if (options.logs) make_log_folder(*options.logs);
    processes_ = start_processes(options, body);
  }

  // Nothing stays behind, also when a hook of the caller throws.
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
    tell_started();
    while (!is_over()) {
      wait();
      pass_signals_on();
      look_for_exec_errors();
      for (NodeProcess& node : nodes()) read_streams(node);
      look_for_ends();
      ask_for_report();
      look_for_long_stop();
      look_at_output();
      climb_ladder();
      for (NodeProcess& node : nodes()) clear_up(node);
      output_.write_some();
    }
    if (exec_error_) throw Error(*exec_error_);
    return conclude();
  }

 private:
  std::vector<NodeProcess>& nodes() { return processes_.nodes; }
  NodeProcess& node_of(Rank rank) { return nodes()[idx(rank - options_.first_rank)]; }

  void tell_started() {
    if (!options_.started) return;
    std::vector<pid_t> ids;
    for (const NodeProcess& node : nodes()) ids.push_back(node.process);
    options_.started(ids);
  }

  bool is_over() {
    const auto is_gone = [](const NodeProcess& node) { return node.gone; };
    return output_.empty() && std::all_of(nodes().begin(), nodes().end(), is_gone);
  }

  // Until something happens, or the next tick.
  void wait() {
    std::vector<pollfd> fds;
    const auto add = [&](const Fd& fd) {
      if (fd) fds.push_back({fd.get(), POLLIN, 0});
    };
    for (const NodeProcess& node : nodes()) {
      if (!node.end) add(node.pidfd);
      for (const NodeStream& stream : node.streams) {
        if (!output_.full()) add(stream.pipe);
      }
    }
    add(processes_.report);
    if (!output_.empty()) fds.push_back({output_.next_fd(), POLLOUT, 0});
    // An error is no more than a signal that ended the wait.
    poll(fds.data(), fds.size(), kTickMilliseconds);
  }

  void signal_all(int signal) {
    const bool is_for_leaving = signal != SIGUSR1 && signal != SIGUSR2;
    for (NodeProcess& node : nodes()) {
      if (node.gone) continue;
      if (!options_.deliver || !options_.deliver(node.rank, signal)) signal_group(node, signal);
      node.signalled = node.signalled || is_for_leaving;
    }
  }

  std::vector<int> new_signals() {
    std::vector<int> signals = (options_.signals == nullptr ? &*own_signals_ : options_.signals)->take();
    if (options_.more_signals) {
      const std::vector<int> more = options_.more_signals();
      signals.insert(signals.end(), more.begin(), more.end());
    }
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
        give_up_output_ = now + 2 * options_.grace;
      }
      ladder_.begin(now);
      if (again && signal == SIGINT) {
        ladder_.hurry(now);
      } else {
        signal_all(signal);
      }
    }
  }

  void look_for_exec_errors() {
    std::optional<Failure> error = receive_exec_error(processes_.report);
    if (!error || exec_error_) return;
    exec_error_ = std::move(error);
    ladder_.hurry(Clock::now());
  }

  // Returns whether there may be more.
  bool read_stream(NodeProcess& node, NodeStream& stream) {
    const ssize_t count = read_some(stream.pipe.get(), buffer_);
    if (count < 0 && errno == EAGAIN) return false;
    if (count <= 0) {
      pass_on(node, stream, stream.lines.finish());
      stream.pipe.reset();
      return false;
    }
    node.printed = true;
    const std::string_view bytes(buffer_.data(), idx(count));
    pass_on(node, stream, stream.lines.take(bytes));
    if (node.log && !write_all(node.log.get(), bytes)) stop_logging(node);
    return true;
  }

  void pass_on(const NodeProcess& node, const NodeStream& stream, std::string_view lines) {
    if (!options_.line) return output_.add(stream.to, lines);
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      std::string line(lines.substr(0, end));
      lines.remove_prefix(end + 1);
      if (options_.line(node.rank, stream.which, line)) output_.add(stream.to, line + '\n');
    }
  }

  void read_streams(NodeProcess& node) {
    for (NodeStream& stream : node.streams) {
      if (stream.pipe && !output_.full()) read_stream(node, stream);
    }
  }

  void stop_logging(NodeProcess& node) {
    say(fmt::format("cannot write {}: {}; going on without this log: make room there for the next job",
                    printable(log_file(*options_.logs, node.rank).string()), std::strerror(errno)));
    node.log.reset();
  }

  void say(const std::string& sentence) {
    output_.add(options_.err, fmt::format("{}: {}\n", options_.speaker, sentence));
  }

  void look_for_ends() {
    std::optional<Rank> bad;
    for (NodeProcess& node : nodes()) {
      if (node.end) continue;
      node.end = look_for_end(node);
      if (!node.end) continue;
      node.ended = Clock::now();
      node.end->after = node.ended - begin_;
      if (options_.ended) options_.ended(node.rank, *node.end);
      if (options_.end_line) output_.add(options_.out, options_.end_line(node.rank, *node.end));
      if (node.end->ok() || !node.end->by_itself) continue;
      // Of several at once, one that was killed comes first: nodes that lose a peer exit by themselves.
      const bool killed = node.end->how == RankEnd::How::kKilled;
      if (!bad || (killed && node_of(*bad).end->how != RankEnd::How::kKilled)) bad = node.rank;
    }
    if (!bad || interrupted_ || exec_error_) return;
    if (!first_bad_end_) first_bad_end_ = bad;
    ladder_.begin(Clock::now());
  }

  void ask_for_report() {
    if (!options_.first_failure || report_ || interrupted_ || Clock::now() < next_question_) return;
    next_question_ = Clock::now() + std::chrono::milliseconds(kTickMilliseconds);
    report_ = options_.first_failure();
    if (report_) ladder_.begin(Clock::now());
  }

  void look_for_long_stop() {
    const Clock::time_point now = Clock::now();
    if (!options_.ends_when_stopped || ladder_.begun() || now < next_stop_look_) return;
    next_stop_look_ = now + kStopLook;
    const auto is_stopped = [](const NodeProcess& node) {
      return node.end || state_of(node.process) == ProcessState::kStopped;
    };
    const auto has_ended = [](const NodeProcess& node) { return node.end.has_value(); };
    const bool all = std::all_of(nodes().begin(), nodes().end(), is_stopped) &&
                     !std::all_of(nodes().begin(), nodes().end(), has_ended);
    if (!long_stop_.see(all, now)) return;
    report_ = failure_of_long_stop();
    ladder_.begin(now);
  }

  Failure failure_of_long_stop() {
    Failure failure;
    failure.cause = Failure::Cause::kTimeout;
    std::vector<Rank> ranks;
    for (const NodeProcess& node : nodes()) {
      if (!node.end) ranks.push_back(node.rank);
    }
    failure.culprit = ranks.front();
    const std::string limit = in_words(options_.timeout.value_or(world::FoundWorld{}.timeout));
    const std::string others = ranks.size() < nodes().size() ? ", and all others had ended" : "";
    failure.what = ranks.size() == 1
                       ? fmt::format("it was so for longer than {}{}", limit, others)
                       : fmt::format("so were all nodes that had not ended (ranks {}) for longer than {}",
                                     fmt::join(ranks, ", "), limit);
    RankEnd stopped;
    stopped.stopped = true;
    failure.hint = remedy_for(stopped);
    return failure;
  }

  // A reader who has left wants no more, and is no reason to end the job; nor is standard error, for nobody
  // could be told.
  [[nodiscard]] std::optional<std::string> output_failure() const {
    const std::optional<int> error = output_.error_of(options_.out);
    if (!error || *error == EPIPE || options_.out == options_.err) return std::nullopt;
    return fmt::format("cannot write the output: {}", std::strerror(*error));
  }

  void look_at_output() {
    const Clock::time_point now = Clock::now();
    if (output_failure()) ladder_.begin(now);
    if (now >= give_up_output_) output_.discard();
  }

  void climb_ladder() {
    const Clock::time_point now = Clock::now();
    if (ladder_.begun() && !interrupted_ && only_stopped_are_left()) ladder_.hurry(now);
    const int signal = ladder_.due(now);
    if (signal == 0) return;
    signal_all(signal);
    if (signal == SIGKILL) killed_ = now;
  }

  // Marks those that are stopped. They take no part in an end that gives them time to leave.
  bool only_stopped_are_left() {
    bool any = false;
    bool others = false;
    for (NodeProcess& node : nodes()) {
      if (node.end) continue;
      const bool is_stopped = state_of(node.process) == ProcessState::kStopped;
      node.stopped = node.stopped || is_stopped;
      (is_stopped ? any : others) = true;
    }
    return any && !others;
  }

  // When a node has ended, and all is read that it and those it has left behind printed.
  void clear_up(NodeProcess& node) {
    if (node.gone) return;
    if (!node.end) {
      if (Clock::now() >= killed_ + kKillTakes) abandon(node);
      return;
    }
    const auto is_closed = [](const NodeStream& stream) { return !stream.pipe; };
    const bool all_read = std::all_of(node.streams.begin(), node.streams.end(), is_closed);
    if (!all_read && (output_.full() || Clock::now() < node.ended + kHeldOpen)) return;
    reap(node);
    read_the_rest(node);
  }

  void read_the_rest(NodeProcess& node) {
    for (NodeStream& stream : node.streams) {
      for (int i = 0; i < kLastReads && stream.pipe; ++i) {
        if (!read_stream(node, stream)) break;
      }
      pass_on(node, stream, stream.lines.finish());
      stream.pipe.reset();
    }
    node.log.reset();
    if (options_.gone) options_.gone(node.rank);
  }

  // When this process ends the system tries again.
  void abandon(NodeProcess& node) {
    say(fmt::format("rank {} (process {}) does not end by SIGKILL; it is left behind", node.rank,
                    node.process));
    node.end = RankEnd{node.process, RankEnd::How::kKilled, SIGKILL, false, Clock::now() - begin_};
    node.gone = true;
    read_the_rest(node);
  }

  JobEnd conclude() {
    next_question_ = {};
    ask_for_report();
    JobEnd end;
    for (const NodeProcess& node : nodes()) {
      end.ranks.push_back(*node.end);
      end.ranks.back().silent = !node.printed;
    }
    end.elapsed = Clock::now() - begin_;
    end.interrupted = interrupted_;
    end.first_failure =
        tell_first_failure(end.ranks, first_bad_end_, report_, options_.first_rank, options_.logs);
    if (const auto failure = output_failure(); failure && !end.first_failure) {
      end.first_failure = FirstFailure{*failure, {}, {}};
    }
    return end;
  }

  const JobOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  std::optional<CaughtSignals> own_signals_;
  NodeProcesses processes_;
  OutputQueue output_;
  std::vector<char> buffer_ = std::vector<char>(kReadAtOnce);  // too large for a small stack

  LongStop long_stop_;
  Clock::time_point next_stop_look_{};
  Ladder ladder_;
  Clock::time_point killed_ = Clock::time_point::max() - kKillTakes;
  Clock::time_point give_up_output_ = Clock::time_point::max();
  Clock::time_point next_question_{};
  std::optional<int> interrupted_;
  std::optional<Rank> first_bad_end_;
  std::optional<Failure> report_;
  std::optional<Failure> exec_error_;
};

}  // namespace

JobEnd run_job(const JobOptions& options, const NodeBody& body) {
  check(options);
  return Job(options, body).run();
}

}  // namespace trireme::launch
