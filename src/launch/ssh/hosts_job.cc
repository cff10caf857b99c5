#include "launch/ssh/hosts_job.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/deadline.h"
#include "base/duration.h"
#include "base/text.h"
#include "launch/first_failure.h"
#include "launch/logs.h"
#include "launch/program.h"
#include "launch/ssh/agent_word.h"
#include "launch/ssh/hosts_trouble.h"
#include "world/world.h"

namespace trireme::launch::ssh {
namespace {

constexpr int kSshFailed = 255;
constexpr int kNotFound = 127;

// The logs of all ranks are open here, besides what `run_job` needs for each ssh.
void make_room_for_logs(Rank nodes) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, limit.rlim_cur + static_cast<rlim_t>(nodes) * 2);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// One host as the launcher knows it.
struct Host {
  Host(HostPart its_part, Fd pipe) : part(std::move(its_part)), orders(std::move(pipe)) {}

  HostPart part;
  OrderWriter orders;
  bool ready = false;
  Rank ended_nodes = 0;
  std::string last_line;  // that no node printed
  std::optional<SshEnded> ssh;
};

class HostsJob final : public JobObserver {
 public:
  explicit HostsJob(const HostsJobOptions& options)
      : options_(options),
        deadline_(Deadline::after(options.task.timeout.value_or(world::FoundWorld{}.timeout))) {
    end_.ranks.resize(idx(options.task.job_size));
    open_logs();
  }

  HostsJobEnd run() {
    prepare_hosts();
    const JobEnd end = run_job(job_options(), body());
    end_.elapsed = end.elapsed;
    end_.interrupted = end.interrupted;
    end_.first_failure = troubles_.empty() ? end.first_failure : tell_first();
    return std::move(end_);
  }

 private:
  void open_logs() {
    if (!options_.logs) return;
    make_room_for_logs(options_.task.job_size);
    for (Rank rank = 0; rank < options_.task.job_size; ++rank)
      logs_.push_back(open_log(*options_.logs, rank));
  }

  // Each host's ssh reads from a pipe, where it finds its task.
  void prepare_hosts() {
    for (const HostPart& part : options_.hosts) {
      Pipe pipe = make_pipe();
      hosts_.emplace_back(part, std::move(pipe.write));
      HostTask task = options_.task;
      task.first_rank = part.first;
      task.nodes = part.nodes;
      hosts_.back().orders.add(task);
      inputs_.push_back(std::move(pipe.read));
    }
  }

  // One "node" is the ssh of one host.
  JobOptions job_options() {
    JobOptions job;
    job.nodes = static_cast<Rank>(hosts_.size());
    job.out = options_.out;
    job.err = options_.err;
    job.prefix = false;
    for (const Fd& input : inputs_) job.inputs.push_back(input.get());
    job.observer = this;
    job.grace = options_.grace;
    job.signals = options_.signals;
    job.ends_when_stopped = false;  // the agents look at the nodes
    return job;
  }

  NodeBody body() const {
    std::vector<NodeBody> bodies;
    for (const HostPart& part : options_.hosts) {
      std::vector<std::string> words = options_.ssh;
      words.push_back(part.name);
      words.push_back(options_.agent);
      bodies.push_back(program(std::move(words)));
    }
    return [bodies = std::move(bodies)](Rank host) { return bodies[idx(host)](host); };
  }

  void started(std::span<const pid_t> /*ids*/) override { inputs_.clear(); }

  // `tell_first` says afterwards which failure was the first.
  bool wants_end() override {
    for (Host& host : hosts_) host.orders.write_some();
    if (!started_ && deadline_.expired()) note_who_is_missing();
    return !troubles_.empty();
  }

  void note_who_is_missing() {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (!hosts_[i].ready) note({i, NoAnswer{}});
    }
  }

  // After nodes were told to leave, whatever they do follows from that.
  void note(Trouble trouble) {
    if (!leaving_) troubles_.push_back(std::move(trouble));
  }

  bool deliver(Rank rank, int signal) override {
    Host& host = hosts_[idx(rank)];
    leaving_ = leaving_ || (signal != SIGUSR1 && signal != SIGUSR2);
    if (!host.ready || signal == SIGKILL) return false;
    host.orders.add(SignalOrder{signal});
    host.orders.write_some();
    return true;
  }

  bool line(Rank rank, NodeOutput which, std::string& line) override {
    const std::size_t host = idx(rank);
    if (which == NodeOutput::kOut) {
      if (const std::optional<AgentWord> word = decode_agent_word(line)) {
        std::visit([&](const auto& kind) { hear(host, kind); }, *word);
        return false;
      }
      if (line.empty()) return false;  // before each word there is one
    }
    const std::optional<NodeLine> of_node = decode_node_line(line, options_.task.job_size);
    if (of_node && hosts_[host].part.has(of_node->rank)) {
      log(*of_node);
    } else {
      if (line.ends_with('\r')) line.pop_back();  // ssh ends its own lines as for a terminal
      hosts_[host].last_line = printable(line);
      line = fmt::format("[{}] {}", hosts_[host].part.name, line);
    }
    return true;
  }

  void log(const NodeLine& line) {
    if (logs_.empty() || !logs_[idx(line.rank)]) return;
    const int log = logs_[idx(line.rank)].get();
    if (write_all(log, line.text) && write_all(log, std::string_view("\n"))) return;
    const std::string why = std::strerror(errno);
    logs_[idx(line.rank)].reset();
    write_all(
        options_.err,
        fmt::format("trireme launch: cannot write {}: {}; going on without this log: make room there for the "
                    "next job\n",
                    printable(log_file(*options_.logs, line.rank).string()), why));
  }

  void hear(std::size_t host, const AgentReady& word) {
    hosts_[host].ready = true;
    if (host == 0) address_ = word.address;
    if (started_ || !std::all_of(hosts_.begin(), hosts_.end(), [](const Host& one) { return one.ready; })) {
      return;
    }
    started_ = true;
    for (Host& one : hosts_) {
      one.orders.add(MeetOrder{address_});
      one.orders.write_some();
    }
  }

  void hear(std::size_t host, const NodeEnded& word) {
    if (!hosts_[host].part.has(word.rank)) return;
    ++hosts_[host].ended_nodes;
    end_.ranks[idx(word.rank)] = word.end;
    for (Host& one : hosts_) one.orders.add(EndedOrder{word.rank});
    const bool by_itself = (!word.end.ok() || !word.why.empty()) && word.end.by_itself;
    if (by_itself || word.end.stopped) note({host, word});
  }

  void hear(std::size_t host, const AgentRefuses& word) { note({host, word}); }

  std::string ended(Rank rank, const RankEnd& end) override {
    Host& host = hosts_[idx(rank)];
    host.ssh = SshEnded{end, !started_};
    if (!end.ok()) note({idx(rank), *host.ssh});
    return {};
  }

  // The last words of an agent are only known now.
  void gone(Rank rank) override {
    const Host& host = hosts_[idx(rank)];
    if (host.ssh && host.ssh->end.ok() && host.ended_nodes < host.part.nodes) note({idx(rank), *host.ssh});
  }

  FirstFailure tell_first() {
    const Trouble* first = first_of(troubles_);
    return std::visit([&](const auto& what) { return in_words(hosts_[first->host], what); }, first->what);
  }

  FirstFailure in_words(const Host& host, const NodeEnded& node) {
    // The nodes of a host cannot know why one of them was killed.
    const bool told = !node.why.empty() && node.end.how == RankEnd::How::kExited;
    FirstFailure first{of(host) + (told ? node.why : end_in_words(node.rank, node.end)), node.rank, {}};
    if (told && node.culprit) first.rank = node.culprit;
    if (told && was_stopped(*first.rank)) {
      first.text = of(host_with(*first.rank)) + end_in_words(*first.rank, *end_.ranks[idx(*first.rank)]) +
                   "; " + node.why;
    }
    if (!told) first.hint = remedy_for(node.end);
    if (first.hint.empty() && options_.logs)
      first.hint = "see " + printable(log_file(*options_.logs, *first.rank).string());
    return first;
  }

  [[nodiscard]] const Host& host_with(Rank rank) const {
    return *std::find_if(hosts_.begin(), hosts_.end(), [&](const Host& host) {
      return rank < host.part.first + host.part.nodes;  // hosts have their ranks in order
    });
  }

  [[nodiscard]] bool was_stopped(Rank rank) const {
    return rank >= 0 && idx(rank) < end_.ranks.size() && end_.ranks[idx(rank)] &&
           end_.ranks[idx(rank)]->stopped;
  }

  FirstFailure in_words(const Host& host, const AgentRefuses& refusal) {
    throw bad_input(of(host) + refusal.what, refusal.hint);
  }

  FirstFailure in_words(const Host& host, const SshEnded& ssh) {
    const std::string how = ssh.end.how == RankEnd::How::kExited
                                ? fmt::format("exited with status {}", ssh.end.code)
                                : fmt::format("was killed by signal {}", ssh.end.code);
    const auto after = std::chrono::round<std::chrono::milliseconds>(ssh.end.after);
    FirstFailure first{fmt::format("{}{} {} after {}", of(host), printable(options_.ssh.front()), how,
                                   trireme::in_words(after)),
                       {},
                       {}};
    if (!host.last_line.empty()) first.text += ": " + host.last_line;
    if (ssh.before_start) first.text += arrived();
    if (ssh.end.code == kSshFailed) first.hint = by_hand(host);
    if (ssh.end.code == kNotFound) first.hint = "have trireme at the same path on all hosts";
    if (first.hint.empty() && ssh.before_start) first.hint = by_hand(host);
    return first;
  }

  FirstFailure in_words(const Host& host, const NoAnswer&) {
    return {fmt::format("{}no answer within {}{}", of(host), trireme::in_words(deadline_.limit()), arrived()),
            {},
            by_hand(host)};
  }

  static std::string of(const Host& host) { return fmt::format("host {}: ", host.part.name); }

  // By hand one can type a password, or accept a host that is not known yet.
  std::string by_hand(const Host& host) const {
    return fmt::format("try by hand: {} {} true", printable(fmt::format("{}", fmt::join(options_.ssh, " "))),
                       host.part.name);
  }

  std::string arrived() const {
    std::vector<std::string> names;
    for (const Host& host : hosts_) {
      if (host.ready) names.push_back(host.part.name);
    }
    return names.empty() ? " (no host had answered)"
                         : fmt::format(" (had answered: {})", fmt::join(names, ", "));
  }

  const HostsJobOptions& options_;
  const Deadline deadline_;
  std::vector<Host> hosts_;
  std::vector<Fd> inputs_;  // of the hosts' ssh, until they are started
  std::vector<Fd> logs_;    // by rank
  std::vector<Trouble> troubles_;
  std::string address_;
  bool started_ = false;  // all agents have answered, and may start their nodes
  bool leaving_ = false;
  HostsJobEnd end_;
};

}  // namespace

HostsJobEnd run_hosts_job(const HostsJobOptions& options) { return HostsJob(options).run(); }

}  // namespace trireme::launch::ssh
