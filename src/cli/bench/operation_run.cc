#include "cli/bench/operation_run.h"

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
#include "base/system/fd.h"
#include "base/text.h"
#include "launch/job.h"
#include "launch/mpirun.h"
#include "plan/strategies/strategies.h"
#include "wire/shm/segment.h"
#include "wire/shm/shm.h"
#include "wire/threads/in_process.h"
#include "world/connection.h"
#include "world/meeting_place.h"
#include "world/world.h"

namespace trireme::cli {
namespace {

// The signal that interrupted the run.
using Interrupt = std::optional<int>;

Interrupt on_threads(const OperationCase& setting, const OperationTimes& times) {
  wire::threads::InProcessFabric fabric(setting.nodes());
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < setting.nodes(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        time_operation(fabric.wire(rank), setting, times);
      } catch (const Error& error) {
        fabric.wire(rank).leave(error.failure());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (const std::optional<Failure> failure = fabric.first_failure()) throw Error(*failure);
  return std::nullopt;
}

launch::JobOptions quiet_job(const OperationCase& setting) {
  launch::JobOptions options;
  options.speaker = "trireme bench";
  options.nodes = setting.nodes();
  options.timeout = setting.timeout;
  options.prefix = false;
  options.out = options.err;
  return options;
}

// Keeps standard error to itself, and remembers the last meaningful line of a failed program. Our own message
// is preferred to what a launcher prints after it.
class LastLine final : public launch::JobObserver {
 public:
  bool line(Rank /*rank*/, launch::NodeOutput which, std::string& line) override {
    if (which == launch::NodeOutput::kErr) see(line);
    return which == launch::NodeOutput::kOut;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void see(const std::string& line) {
    constexpr std::string_view kOurs = "trireme: ";
    const bool ours = line.starts_with(kOurs);
    const bool says_something =
        std::any_of(line.begin(), line.end(), [](unsigned char letter) { return std::isalnum(letter) != 0; });
    if (!says_something || (is_ours_ && !ours)) return;
    is_ours_ = ours;
    text_ = printable(ours ? line.substr(kOurs.size()) : line);
  }

  std::string text_;
  bool is_ours_ = false;
};

Interrupt run_well(const OperationCase& setting, launch::JobOptions options, const launch::NodeBody& body) {
  LastLine last;
  if (setting.quiet) options.observer = &last;
  const launch::JobEnd end = launch::run_job(options, body);
  if (!end.first_failure || end.interrupted) return end.interrupted;
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what = end.first_failure->text;
  failure.hint = last.text().empty() ? end.first_failure->hint : last.text();
  throw Error(failure);
}

Interrupt in_shared_memory(const OperationCase& setting, const OperationTimes& times) {
  const std::shared_ptr<wire::shm::Segment> segment = wire::shm::Segment::create(setting.nodes());
  launch::JobOptions options = quiet_job(setting);
  options.memory = segment;
  return run_well(setting, options, [&](Rank rank) {
    wire::shm::ShmWire wire(segment, rank);
    time_operation(wire, setting, times);
    return 0;
  });
}

Interrupt over_tcp(const OperationCase& setting, const OperationTimes& times) {
  world::FoundWorld world;
  world.size = setting.nodes();
  world.wire = setting.wire;
  const Fd listener = world::meet_on_loopback(world);
  launch::JobOptions options = quiet_job(setting);
  options.memory = wire::shm::Segment::create(setting.nodes());
  options.inherited_fds = {listener.get()};
  world.segment_fd = options.memory->fd();  // there nodes say why they fail
  return run_well(setting, options, [&](Rank rank) {
    world.rank = rank;
    const std::unique_ptr<world::Connection> connection =
        world::connect(world, Deadline::after(setting.timeout));
    time_operation(connection->wire(), setting, times);
    return 0;
  });
}

// Runs this program again under mpirun; only the median of its times comes back.
Interrupt under_mpirun(const OperationCase& setting, const OperationTimes& times) {
  const std::string bytes = std::to_string(setting.bytes);
  std::vector<std::string> command = {launch::own_program(),
                                      "bench",
                                      std::string(bench_name(setting.operation)),
                                      "--wire",
                                      "mpi",
                                      "--json",
                                      "--min-bytes",
                                      bytes,
                                      "--max-bytes",
                                      bytes};
  if (setting.operation != kPingPong) {
    command.insert(command.end(), {"--strategy", std::string(plan::name(spec_of(setting).strategy))});
  }
  const Fd output = own(::memfd_create("bench", MFD_CLOEXEC), "catch the output of a measurement");
  launch::JobOptions options = quiet_job(setting);
  options.nodes = 1;
  options.out = output.get();
  options.ends_descendants = true;
  const Interrupt interrupt =
      run_well(setting, options, launch::program(launch::mpirun_words(setting.workers, command)));
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

std::optional<int> run_operation(const OperationCase& setting, const OperationTimes& times) {
  switch (setting.wire) {
    case wire::WireKind::kThreads:
      return on_threads(setting, times);
    case wire::WireKind::kShm:
      return in_shared_memory(setting, times);
    case wire::WireKind::kTcp:
      return over_tcp(setting, times);
    case wire::WireKind::kMpi:
      return under_mpirun(setting, times);
    default:
      throw bad_input(fmt::format("nothing can be timed on the wire '{}'", wire::name(setting.wire)));
  }
}

}  // namespace trireme::cli
