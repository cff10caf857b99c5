#include "launch/node_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "base/duration.h"
#include "launch/child.h"
#include "launch/logs.h"
#include "wire/shm/segment.h"
#include "world/environment.h"

namespace trireme::launch {
namespace {

constexpr int kUnknownStatus = 255;

// Raises the limit for this process if need be; returns what it was, for the nodes.
rlimit make_room_for_files(Rank nodes) {
  const auto needed = static_cast<rlim_t>(nodes) * 5 + 64;  // three pipes, process, log; and some
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  if (before.rlim_cur >= needed) return before;
  rlimit raised = before;
  raised.rlim_cur = needed;
  if (needed > before.rlim_max || setrlimit(RLIMIT_NOFILE, &raised) != 0) {
    throw bad_input(
        fmt::format("{} nodes need {} open files, and the limit is {}", nodes, needed, before.rlim_max),
        "raise it with ulimit -Hn, or start fewer nodes");
  }
  return before;
}

// The environment of one node: this process's own, without what belongs to an outer job.
class NodeEnvironment {
 public:
  explicit NodeEnvironment(const JobOptions& options) {
    std::vector<std::pair<std::string, std::string>> own = options.environment;
    own.emplace_back(world::environment::kSize, fmt::format("{}", options.size()));
    if (options.timeout) own.emplace_back(world::environment::kTimeout, in_seconds(*options.timeout));
    if (options.memory) {
      own.emplace_back(world::environment::kSegment, fmt::format("{}", options.memory->fd()));
    }
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
      const auto is_name = [&](const auto& variable) { return variable.first == name; };
      const bool replaced =
          std::any_of(own.begin(), own.end(), is_name) ||
          std::find(std::begin(world::environment::kAll), std::end(world::environment::kAll), name) !=
              std::end(world::environment::kAll);
      if (!replaced) entries_.emplace_back(*entry);
    }
    for (const auto& [name, value] : own) entries_.push_back(fmt::format("{}={}", name, value));
    entries_.emplace_back();  // of the rank
    for (std::string& entry : entries_) pointers_.push_back(entry.data());
    pointers_.push_back(nullptr);
  }

  // Valid until the next call.
  char** of(Rank rank) {
    entries_.back() = fmt::format("{}={}", world::environment::kRank, rank);
    pointers_[entries_.size() - 1] = entries_.back().data();
    return pointers_.data();
  }

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

// No signal is handled between fork and exec: in the child it would be the launcher's handler.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

NodeStream stream_from(Fd pipe, const JobOptions& options, Rank rank, NodeOutput which) {
  set_nonblocking(pipe);
  const std::string prefix = options.prefix ? rank_prefix(rank, options.size()) : "";
  // An observer may get lines that another launcher has cut and prefixed; they are not cut again.
  const bool may_have_prefix = options.observer != nullptr && !options.prefix;
  const std::size_t longest = LineCutter::kLongestPiece * (may_have_prefix ? 2 : 1);
  return {std::move(pipe), LineCutter(prefix, longest), which,
          which == NodeOutput::kOut ? options.out : options.err};
}

void leave_open(ChildSetup& setup, const JobOptions& options, int for_group) {
  setup.inherited = options.inherited_fds;
  setup.inherited.push_back(for_group);
  if (options.memory) setup.inherited.push_back(options.memory->fd());
  setup.keep = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, setup.gate, setup.report};
  setup.keep.insert(setup.keep.end(), setup.inherited.begin(), setup.inherited.end());
  std::sort(setup.keep.begin(), setup.keep.end());
}

// The process is there when this returns, and waits at the gate. `kill_on_close` is still the node's end.
NodeProcess fork_node(const JobOptions& options, ChildSetup& setup) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  setup.out = out.write.get();
  setup.err = err.write.get();
  NodeProcess node{.rank = setup.rank,
                   .kill_on_close = make_pipe().read,
                   .streams = {stream_from(std::move(out.read), options, setup.rank, NodeOutput::kOut),
                               stream_from(std::move(err.read), options, setup.rank, NodeOutput::kErr)}};
  leave_open(setup, options, node.kill_on_close.get());
  if (!options.inputs.empty()) setup.in = options.inputs[idx(setup.rank - options.first_rank)];
  if (options.logs) node.log = open_log(*options.logs, setup.rank, options.old_logs);
  {
    const AllSignalsBlocked blocked;
    setup.mask = blocked.before();
    node.process = fork();
    if (node.process == 0) run_child(setup);
  }
  if (node.process < 0) {
    throw_errno(fmt::format("start a process for rank {}", setup.rank),
                "start fewer nodes, or see ulimit -u");
  }
  setpgid(node.process, node.process);
  try {
    node.pidfd = watch_process(node.process);
  } catch (...) {
    reap(node);
    throw;
  }
  return node;
}

// The other end of the pipe is opened when all nodes are forked, so that none has a copy of it: one that is
// stopped at once would hold it open.
void end_group_with_this_process(NodeProcess& node) {
  const int pipe = node.kill_on_close.get();
  Fd other_end = own(open(fmt::format("/proc/self/fd/{}", pipe).c_str(), O_WRONLY | O_CLOEXEC),
                     "open a pipe through /proc");
  if (fcntl(pipe, F_SETSIG, SIGKILL) != 0 || fcntl(pipe, F_SETOWN, -node.process) != 0 ||
      fcntl(pipe, F_SETFL, O_ASYNC) != 0) {
    throw_errno("have a signal sent when a pipe is closed");
  }
  node.kill_on_close = std::move(other_end);
}

}  // namespace

void signal_group(const NodeProcess& node, int signal) { kill(-node.process, signal); }

std::optional<RankEnd> look_for_end(const NodeProcess& node) {
  siginfo_t info{};
  int result = 0;
  do {
    result = waitid(P_PID, static_cast<id_t>(node.process), &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  RankEnd end;
  end.process = node.process;
  end.by_itself = !node.signalled;
  end.stopped = node.stopped;
  if (result != 0) {
    end.code = kUnknownStatus;  // somebody else in this process waited for it
    return end;
  }
  if (info.si_pid == 0) return std::nullopt;
  end.how = info.si_code == CLD_EXITED ? RankEnd::How::kExited : RankEnd::How::kKilled;
  end.code = info.si_status;
  return end;
}

void reap(NodeProcess& node) {
  signal_group(node, SIGKILL);
  waitpid(node.process, nullptr, 0);
  node.pidfd.reset();
  node.kill_on_close.reset();
  node.gone = true;
}

NodeProcesses start_processes(const JobOptions& options, const NodeBody& body) {
  ChildSetup setup;
  setup.launcher = getpid();
  setup.files = make_room_for_files(options.nodes);
  setup.body = &body;
  Pipe gate = make_pipe();
  Pipe report = make_pipe();
  set_nonblocking(report.read);
  setup.gate = gate.read.get();
  setup.report = report.write.get();
  NodeEnvironment environment(options);
  NodeProcesses all;
  all.report = std::move(report.read);
  std::cout.flush();
  std::fflush(nullptr);  // else a body that is no program would flush it again
  try {
    const Rank end = options.first_rank + options.nodes;
    for (setup.rank = options.first_rank; setup.rank < end; ++setup.rank) {
      setup.environment = environment.of(setup.rank);
      all.nodes.push_back(fork_node(options, setup));
    }
    for (NodeProcess& node : all.nodes) end_group_with_this_process(node);
  } catch (...) {
    for (NodeProcess& node : all.nodes) reap(node);
    throw;
  }
  const std::string passes(idx(options.nodes), 'x');
  write_all(gate.write.get(), passes);
  return all;
}

}  // namespace trireme::launch
