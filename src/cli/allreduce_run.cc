#include "cli/allreduce_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "base/text.h"
#include "cli/mpirun.h"
#include "launch/connection.h"
#include "launch/descendants.h"
#include "launch/job.h"
#include "launch/meeting_place.h"
#include "launch/world.h"
#include "wire/in_process.h"
#include "wire/segment.h"
#include "wire/shm.h"

namespace trireme {
namespace {

// The signal that ended it.
using Interrupt = std::optional<int>;

Interrupt on_threads(const AllreduceCase& setting, const AllreduceTimes& times) {
  InProcessFabric fabric(setting.nodes());
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < setting.nodes(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        time_allreduce(fabric.wire(rank), setting, times);
      } catch (const Error& error) {
        fabric.wire(rank).leave(error.failure());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (const std::optional<Failure> failure = fabric.first_failure()) throw Error(*failure);
  return std::nullopt;
}

JobOptions quiet_job(const AllreduceCase& setting) {
  JobOptions options;
  options.nodes = setting.nodes();
  options.timeout = setting.timeout;
  options.prefix = false;
  options.out = options.err;
  return options;
}

// The last line of a failed program that says something. What a launcher says after our own words is less.
class LastLine {
 public:
  void see(const std::string& line) {
    constexpr std::string_view kOurs = "trireme: ";
    const bool ours = line.starts_with(kOurs);
    const bool says_something =
        std::any_of(line.begin(), line.end(), [](unsigned char letter) { return std::isalnum(letter) != 0; });
    if (!says_something || (is_ours_ && !ours)) return;
    is_ours_ = ours;
    text_ = printable(ours ? line.substr(kOurs.size()) : line);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool is_ours_ = false;
};

Interrupt run_well(const AllreduceCase& setting, JobOptions options, const NodeBody& body) {
  LastLine last;
  if (setting.quiet) {
    options.line = [&](Rank, NodeOutput which, const std::string& line) {
      if (which == NodeOutput::kErr) last.see(line);
      return which == NodeOutput::kOut;
    };
  }
  const JobEnd end = run_job(options, body);
  if (!end.first_failure || end.interrupted) return end.interrupted;
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.what = end.first_failure->text;
  failure.hint = last.text().empty() ? end.first_failure->hint : last.text();
  throw Error(failure);
}

Interrupt in_shared_memory(const AllreduceCase& setting, const AllreduceTimes& times) {
  const std::shared_ptr<Segment> segment = Segment::create(setting.nodes());
  JobOptions options = quiet_job(setting);
  options.inherited_fds = {segment->fd()};
  options.first_failure = [&] { return segment->first_failure(); };
  options.ended = [&](Rank rank, const RankEnd& end) { segment->bury(rank, end.process); };
  return run_well(setting, options, [&](Rank rank) {
    ShmWire wire(segment, rank);
    time_allreduce(wire, setting, times);
    return 0;
  });
}

Interrupt over_tcp(const AllreduceCase& setting, const AllreduceTimes& times) {
  FoundWorld world;
  world.size = setting.nodes();
  world.wire = setting.wire;
  const Fd listener = meet_on_loopback(world);
  JobOptions options = quiet_job(setting);
  options.inherited_fds = {listener.get()};
  return run_well(setting, options, [&](Rank rank) {
    world.rank = rank;
    const std::unique_ptr<Connection> connection = connect(world, Deadline::after(setting.timeout));
    time_allreduce(connection->wire(), setting, times);
    return 0;
  });
}

// Through another run of this program; of its times only the median comes back.
Interrupt under_mpirun(const AllreduceCase& setting, const AllreduceTimes& times) {
  const std::string bytes = std::to_string(setting.bytes);
  std::vector<std::string> command = {
      own_program(), "bench",  "allreduce",   "--wire",
      "mpi",         "--json", "--min-bytes", bytes,
      "--max-bytes", bytes,    "--strategy",  std::string(name(spec_of(setting).strategy))};
  const Fd output = own(::memfd_create("bench", MFD_CLOEXEC), "catch the output of a measurement");
  JobOptions options = quiet_job(setting);
  options.nodes = 1;
  options.out = output.get();
  const Descendants end_what_it_leaves;
  const Interrupt interrupt = run_well(setting, options, program(mpirun_words(setting.workers, command)));
  if (interrupt) return interrupt;
  std::string text(1 << 16, '\0');
  const ssize_t length = ::pread(output.get(), text.data(), text.size(), 0);
  text.resize(idx(std::max<ssize_t>(length, 0)));
  const auto json = nlohmann::json::parse(text);
  const double median = json.at("rows").at(0).at("median_us").get<double>() / 1e6;
  times.put(std::span(&median, 1));
  return std::nullopt;
}

}  // namespace

std::optional<int> run_allreduce(const AllreduceCase& setting, const AllreduceTimes& times) {
  if (setting.wire == "threads") return on_threads(setting, times);
  if (setting.wire == "shm") return in_shared_memory(setting, times);
  if (setting.wire == "tcp") return over_tcp(setting, times);
  if (setting.wire == "mpi") return under_mpirun(setting, times);
  throw bad_input(fmt::format("nothing can be timed on the wire '{}'", printable(setting.wire)));
}

}  // namespace trireme
