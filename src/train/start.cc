#include "train/start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/output.h"
#include "base/text.h"
#include "launch/job.h"
#include "launch/relay.h"
#include "train/step_board.h"
#include "wire/shm/segment.h"
#include "wire/threads/in_process.h"
#include "world/connection.h"
#include "world/meeting_place.h"

namespace trireme::train {
namespace {

int status_of(const Failure& failure) {
  return failure.cause == Failure::Cause::kBadInput ? kExitBadInput : kExitFailed;
}

// A node from its place on a wire to its status.
int run_node(World world, const WorldBody& body) {
  try {
    body(world);
    return kExitDone;
  } catch (const std::exception& exception) {
    leave(world, exception);
    const Failure failure = failure_of(exception, world.rank());
    say_of_train(to_string(failure));
    return status_of(failure);
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

// Threads cannot be asked to leave: a signal ends the process, with a word and the status that it has with
// processes for nodes.
void end_interrupted(int) {
  constexpr std::string_view kSay = "trireme train: interrupted by a signal\n";
  // Nobody can be told when this fails.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSay.data(), kSay.size());
  ::_exit(kExitInterrupted);
}

int on_threads(const StartOptions& options, const WorldBody& body) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // As nohup and the shell's background jobs have it.
    if (std::signal(number, end_interrupted) == SIG_IGN) std::signal(number, SIG_IGN);
  }
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
  return *std::max_element(statuses.begin(), statuses.end());
}

// What a rank printed last.
class LastLines {
 public:
  explicit LastLines(Rank nodes) : ranks_(idx(nodes)) {}

  void see(Rank rank, const std::string& line) {
    std::deque<std::string>& lines = ranks_[idx(rank)];
    lines.push_back(printable(line));
    if (lines.size() > kMost) lines.pop_front();
  }
  void tell(Rank rank) const {
    const std::deque<std::string>& lines = ranks_[idx(rank)];
    say_of_train(lines.empty() ? fmt::format("rank {} has printed nothing", rank)
                               : fmt::format("the last lines of rank {}:", rank));
    for (const std::string& line : lines) write_error(fmt::format("    {}\n", line));
  }

 private:
  static constexpr std::size_t kMost = 10;

  std::vector<std::deque<std::string>> ranks_;
};

// Whoever ends with one of our own statuses has said why.
bool died_without_a_word(const launch::RankEnd& end) {
  return end.how == launch::RankEnd::How::kKilled || end.code > kExitBadInput;
}

// Some failures say it themselves.
std::string where_in_training(const launch::FirstFailure& first, const StepBoard* steps) {
  if (steps == nullptr || !first.rank || first.text.find(" of training") != std::string::npos) return "";
  const std::string where = steps->in_words(*first.rank);
  return where.empty() ? "" : "in " + where + ": ";
}

int tell_end(const launch::JobEnd& end, const LastLines& lines, const StepBoard* steps) {
  if (end.interrupted) {
    say_of_train(
        fmt::format("interrupted by signal {} ({})", *end.interrupted, sigdescr_np(*end.interrupted)));
    return kExitInterrupted;
  }
  if (!end.first_failure) return kExitDone;
  const auto& [text, rank, hint] = *end.first_failure;
  if (rank && died_without_a_word(end.ranks[idx(*rank)])) lines.tell(*rank);
  say_of_train("first failure: " + where_in_training(*end.first_failure, steps) + text +
               (hint.empty() ? "" : "; " + hint));
  return rank && end.ranks[idx(*rank)].refused_input() ? kExitBadInput : kExitFailed;
}

launch::JobOptions job_options(const StartOptions& options, LastLines& last) {
  launch::JobOptions job;
  job.speaker = "trireme train";
  job.nodes = options.nodes;
  job.timeout = options.timeout;
  job.logs = options.logs;
  job.prefix = false;
  job.signals = options.signals;
  if (options.terminal) job.inherited_fds.push_back(*options.terminal);
  if (options.lock) job.inherited_fds.push_back(*options.lock);
  job.line = [&last, &options](Rank rank, launch::NodeOutput which, std::string& line) {
    last.see(rank, line);
    if (rank > 0) line.insert(0, launch::rank_prefix(rank, options.nodes));
    // Over the line that rank 0 keeps there.
    if (which == launch::NodeOutput::kErr && options.terminal) line.insert(0, "\r\033[K");
    return true;
  };
  return job;
}

int in_processes(const StartOptions& options, const WorldBody& body) {
  LastLines last(options.nodes);
  launch::JobOptions job = job_options(options, last);
  const std::shared_ptr<wire::shm::Segment> segment = wire::shm::Segment::create(options.nodes);
  job.inherited_fds.push_back(segment->fd());
  job.first_failure = [&] { return segment->first_failure(); };
  job.ended = [&](Rank rank, const launch::RankEnd& end) { segment->mark_dead(rank, end.process); };
  world::FoundWorld found;
  found.size = options.nodes;
  found.wire = options.wire;
  found.segment_fd = segment->fd();  // also by TCP: there nodes say why they fail
  found.timeout = options.timeout;
  Fd listener;
  if (options.wire == wire::WireKind::kTcp) {
    listener = world::meet_on_loopback(found);
    job.inherited_fds.push_back(listener.get());
  }
  const launch::JobEnd end = launch::run_job(job, [&](Rank rank) {
    found.rank = rank;
    return run_in_world(found, body);
  });
  return tell_end(end, last, options.steps);
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
    return status_of(failure);
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
