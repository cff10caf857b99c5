// A job on this host: one process for each node, from its start to the end of the last one.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_status.h"
#include "base/types.h"
#include "launch/logs.h"
#include "launch/program.h"

namespace trireme::wire::shm {
class Segment;
}

namespace trireme::launch {

class CaughtSignals;
class JobObserver;

struct JobOptions {
  static constexpr Rank kMaxNodes = 1024;

  Rank nodes = 1;
  /// The rank of this host's first node, and how many nodes there are on all hosts (0: these are all). Every
  /// rank below is one of the whole job.
  Rank first_rank = 0;
  Rank job_size = 0;
  /// The deadline of one exchange; the nodes find it in their environment. Nothing: they decide. The job
  /// itself may last as long as it likes.
  std::optional<std::chrono::nanoseconds> timeout{};
  /// A folder for `rank-N.log`, made if need be: all that a rank prints, in order of arrival, without prefix.
  std::optional<std::filesystem::path> logs{};
  OldLog old_logs = OldLog::kEmptied;
  /// Lines of standard output and of standard error go there. The caller keeps and closes these.
  int out = STDOUT_FILENO;
  int err = STDERR_FILENO;
  /// The name under which the job speaks of itself: "trireme launch: rank 2 … is left behind".
  std::string speaker = "trireme launch";
  /// Whether each line begins with its rank: "[ 3] text".
  bool prefix = true;
  /// The nodes' standard input, one after the other; empty: /dev/null. The caller keeps and closes these.
  std::vector<int> inputs{};
  /// Open in the nodes by the same numbers, besides standard input, output and error, and a pipe by which
  /// they end with this process. All else is closed there, also for a body that is no program.
  std::vector<int> inherited_fds{};
  /// Set in every node, besides those of `world/environment.h`.
  std::vector<std::pair<std::string, std::string>> environment{};
  /// The nodes inherit it and find it by TRIREME_SEGMENT. There they say what fails first, however they
  /// exchange, and learn which nodes have ended. Where all nodes of the job are on this host, they may
  /// exchange through it.
  std::shared_ptr<wire::shm::Segment> memory{};
  /// None: nobody is told, and nobody asked.
  JobObserver* observer = nullptr;
  /// Signals that the caller catches before the job and after it, too; none: the job catches them itself.
  CaughtSignals* signals = nullptr;
  /// After a failure or an interrupt the nodes have this long to leave, then SIGTERM, as long again, then
  /// SIGKILL.
  std::chrono::nanoseconds grace = std::chrono::seconds(2);
  /// The same after an interrupt, for nodes that still have something to save; nothing: `grace`.
  std::optional<std::chrono::nanoseconds> grace_when_interrupted{};
  /// Whether the job ends when all of its nodes that have not ended are stopped for longer than the timeout.
  bool ends_when_stopped = true;
  /// Whether processes that have left their node's group end with the job, too. For a program that has no
  /// other children than its job's.
  bool ends_descendants = false;

  [[nodiscard]] Rank size() const { return job_size == 0 ? nodes : job_size; }
};

/// How one node's process ended.
struct RankEnd {
  enum class How { kExited, kKilled };

  pid_t process = 0;
  How how = How::kExited;
  int code = 0;                      ///< exit status, or the signal that killed it
  bool by_itself = true;             ///< before the job sent it any signal to leave
  std::chrono::nanoseconds after{};  ///< since the job began
  bool stopped = false;              ///< by SIGSTOP or a debugger, when the job began to end
  bool silent = false;               ///< it has printed nothing; known when the job is over
  /// The first line of what the last exception said that nobody caught; known when the job is over.
  std::string exception{};

  [[nodiscard]] bool ok() const { return how == How::kExited && code == kExitDone; }
  /// It ended by itself with the status by which programs say that what they were given is wrong.
  [[nodiscard]] bool refused_input() const {
    return by_itself && how == How::kExited && code == kExitBadInput;
  }
};

/// The streams that a node prints to.
enum class NodeOutput { kOut, kErr };

/// A job tells it what happens, and asks it what to do, in the thread of `run_job`. By itself it looks on.
class JobObserver {
 public:
  virtual ~JobObserver() = default;

  /// All processes are there and about to run their body. Their ids come by rank; each leads a process group
  /// of the same number.
  virtual void started(std::span<const pid_t> /*ids*/) {}
  /// A node's process has ended, however it did. Returns a line, with its end, to be written to `out` among
  /// those of the nodes; or nothing.
  [[nodiscard]] virtual std::string ended(Rank /*rank*/, const RankEnd& /*end*/) { return {}; }
  /// Moreover, all that it printed has been passed on.
  virtual void gone(Rank /*rank*/) {}
  /// A node has printed a line, here without its end, which the observer may change. Returns whether it is
  /// passed on. The logs have it as it was.
  [[nodiscard]] virtual bool line(Rank /*rank*/, NodeOutput /*which*/, std::string& /*line*/) { return true; }

  /// Asked about ten times a second: signals that are to be taken as if they had come to this process.
  [[nodiscard]] virtual std::vector<int> more_signals() { return {}; }
  /// Asked about ten times a second, until it is so or a signal interrupts the job: whether the job is to end
  /// as after a failure. The observer knows why; `JobEnd` does not say.
  [[nodiscard]] virtual bool wants_end() { return false; }
  /// Delivers a signal to a node in another way than to its process group; returns false where it cannot.
  [[nodiscard]] virtual bool deliver(Rank /*rank*/, int /*signal*/) { return false; }
};

struct FirstFailure {
  std::string text;          ///< "rank 2 (process 4711) was killed by signal 9 (Killed)"; one line
  std::optional<Rank> rank;  ///< whose it is, as far as known
  std::string hint;          ///< one thing to try, where the text does not say one already
};

struct JobEnd {
  std::vector<RankEnd> ranks;  ///< of this host, from its first rank on
  std::chrono::nanoseconds elapsed{};
  std::optional<int> interrupted;  ///< by this signal to the launcher
  std::optional<FirstFailure> first_failure;

  /// Every node ended with status 0, and nobody interrupted.
  [[nodiscard]] bool ok() const {
    const auto is_ok = [](const RankEnd& end) { return end.ok(); };
    return !interrupted && !first_failure && std::all_of(ranks.begin(), ranks.end(), is_ok);
  }
};

/// Runs a job and returns when all of its processes have ended and all that they printed is passed on. A body
/// that is no program runs in a forked copy of this process, with only the calling thread: what it prints is
/// flushed, an exception is printed and becomes status 1, and no destructors of this process run there.
///
/// - A node that ends badly ends the job, as does a failure that one tells by the shared memory: see `grace`.
///   When only nodes are left that are stopped and cannot leave, they are killed at once.
/// - Nodes that are all stopped for longer than the timeout, while this process looks on, end the job.
/// - SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 to this process are passed on to all nodes. The
///   first four also end the job; SIGINT when one of them has come already kills at once.
/// - What is left of a node's process group when the node has ended is killed half a second later, or as soon
///   as nobody holds its output open.
/// - When this process is killed, the system kills all groups. A process that leaves its group escapes this.
///
/// One thread does it all, the caller's; several jobs may run at once, in several threads. It waits for a
/// reader who is slow, until an interrupt, and goes on without one who has left. Otherwise lines that `out`
/// does not take are a failure of the job; where `err` takes none, they are lost.
///
/// Throws `Error` (bad input) when the options are wrong, a log cannot be written, there can be no more
/// processes, or a program cannot be exec'd; then nothing is left running.
[[nodiscard]] JobEnd run_job(const JobOptions& options, const NodeBody& body);

}  // namespace trireme::launch
