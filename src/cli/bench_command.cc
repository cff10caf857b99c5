// `trireme bench allreduce`: how long an exchange takes on this host, for each size, with its own processes
// or threads.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_size.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/bench/allreduce_run.h"
#include "cli/bench/allreduce_timing.h"
#include "cli/command.h"
#include "cli/launched.h"
#include "exec/auto_strategy.h"
#include "launch/mpirun.h"
#include "launch/signals.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"
#include "report/exchange_report.h"
#include "report/table.h"
#include "wire/shm/segment.h"
#include "world/connection.h"
#include "world/world.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
Sizes grow from --min-bytes by a factor of 4, as long as they are not larger
than --max-bytes. Each takes about two seconds at most: 0.4 s to warm up, then
1.6 s that are timed. All workers refill their buffers and meet at a barrier
before each call; the time of a call is that of its slowest worker. Buffers lie
in windows, memory that all workers see; --private takes ordinary memory
instead.

Under trireme launch or mpirun the nodes are those that the launcher has
started, and --wire for launch stands before the program.

Examples:
  trireme bench allreduce --workers 4
  trireme bench allreduce --workers 2 --strategy ring --min-bytes 1MiB
  trireme bench allreduce --workers 4 --wire threads --max-bytes 64KiB --json
  trireme launch -n 4 --wire tcp -- trireme bench allreduce
  mpirun -n 4 trireme bench allreduce --wire mpi
)";

constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr std::int32_t kMostWorkers = 256;

// The flags as typed; parsed only when all are known, so that messages can name the flag.
struct Flags {
  std::string what = "allreduce", workers = "4", servers, wire = "shm", strategy = "auto", min_bytes = "4",
              max_bytes = "64MiB", timeout;
  bool private_memory = false, json = false;
};

// Which flags were typed, where that makes a difference.
struct Given {
  bool workers = false, wire = false;
};

struct Row {
  plan::PlanSpec spec;
  std::int64_t bytes = 0;
  double median = 0;  // seconds
  double p99 = 0;
};

wire::WireKind wire_of(const Flags& flags) { return wire::parse_wire(flags.wire, "--wire", kTimedWires); }

std::int64_t bytes_of(const std::string& text, const char* flag) {
  constexpr std::int64_t kElement = 4;
  const std::int64_t bytes = parse_bytes(text, flag, kElement, kMostBytes);
  if (bytes % kElement == 0) return bytes;
  throw bad_input(fmt::format("{}: {} bytes are not a whole number of float32", flag, bytes),
                  "give a multiple of 4");
}

std::chrono::nanoseconds timeout_of(const Flags& flags) {
  if (!flags.timeout.empty()) return parse_duration(flags.timeout, "--timeout");
  return world::find_timeout().value_or(world::FoundWorld{}.timeout);
}

std::vector<AllreduceCase> cases_of(const Flags& flags, wire::WireKind wire) {
  if (flags.what != "allreduce") {
    throw bad_input(fmt::format("bench cannot time '{}'", printable(flags.what)),
                    "try trireme bench allreduce");
  }
  AllreduceCase setting;
  setting.wire = wire;
  setting.strategy = exec::parse_strategy_or_auto(flags.strategy);
  setting.workers = static_cast<std::int32_t>(parse_integer(flags.workers, "--workers", 1, kMostWorkers));
  setting.servers = static_cast<std::int32_t>(parse_integer(flags.servers, "--servers", 0, kMostWorkers));
  if (setting.servers > 0 && setting.strategy != plan::Strategy::kParameterServer) {
    throw bad_input("--servers is for parameter-server", "add --strategy parameter-server");
  }
  setting.private_memory = flags.private_memory || setting.wire != wire::WireKind::kShm;
  setting.timeout = timeout_of(flags);
  const std::int64_t min = bytes_of(flags.min_bytes, "--min-bytes");
  const std::int64_t max = bytes_of(flags.max_bytes, "--max-bytes");
  if (min > max) {
    throw bad_input(fmt::format("--min-bytes {} is more than --max-bytes {}", min, max), "swap them");
  }
  std::vector<AllreduceCase> cases;
  for (setting.bytes = min; setting.bytes <= max; setting.bytes *= 4) cases.push_back(setting);
  // Checked before anything starts: the largest buffer must fit.
  wire::shm::require_memory(static_cast<std::size_t>(setting.nodes()),
                            static_cast<std::size_t>(cases.back().bytes), wire::shm::memory_left());
  return cases;
}

Row row_of(const AllreduceCase& setting, const AllreduceTimes& times) {
  const std::vector<double> seconds = times.slowest();
  return {spec_of(setting), setting.bytes, quantile(seconds, 0.5), quantile(seconds, 0.99)};
}

void tell_progress(const AllreduceCase& setting, std::size_t number, std::size_t cases) {
  std::string text =
      fmt::format("trireme bench: {} ({} of {})", bytes_in_words(setting.bytes), number + 1, cases);
  if (!setting.strategy) {
    const exec::Choice choice =
        exec::choose_strategy(setting.wire, !setting.private_memory, setting.workers, setting.bytes);
    text += ": auto takes " + choice.why;
  }
  write_error(text + "\n");
}

struct Measured {
  std::vector<Row> rows;
  std::optional<int> interrupted;  // the signal that interrupted it before all cases were measured
};

// The first signal that should end this process.
std::optional<int> interrupt_of(const std::vector<int>& signals) {
  const auto ends = [](int signal) { return signal != SIGUSR1 && signal != SIGUSR2; };
  const auto first = std::find_if(signals.begin(), signals.end(), ends);
  return first == signals.end() ? std::nullopt : std::optional(*first);
}

// Measures with its own nodes. If the user interrupts it, returns the results so far.
Measured measure(const std::vector<AllreduceCase>& cases) {
  launch::CaughtSignals signals;
  Measured measured;
  for (std::size_t i = 0; i < cases.size() && !measured.interrupted; ++i) {
    tell_progress(cases[i], i, cases.size());
    const AllreduceTimes times;
    const std::optional<int> ended_by = run_allreduce(cases[i], times);
    const std::optional<int> came = interrupt_of(signals.take());
    measured.interrupted = ended_by ? ended_by : came;
    if (!ended_by) measured.rows.push_back(row_of(cases[i], times));
  }
  return measured;
}

// The bandwidth over each worker's link, as nccl-tests defines it.
double bus_gigabytes_per_second(const Row& row) {
  const double n = row.spec.workers;
  return static_cast<double>(row.bytes) / row.median * 2 * (n - 1) / n / 1e9;
}

std::string document(wire::WireKind wire, const std::vector<Row>& rows) {
  report::Json json;
  json["rows"] = report::Json::array();
  for (const Row& row : rows) {
    json["rows"].push_back({{"wire", wire::name(wire)},
                            {"strategy", plan::name(row.spec.strategy)},
                            {"workers", row.spec.workers},
                            {"bytes", row.bytes},
                            {"median_us", row.median * 1e6},
                            {"p99_us", row.p99 * 1e6},
                            {"busbw_GBps", bus_gigabytes_per_second(row)},
                            {"messages", plan::closed_form(row.spec).messages}});
  }
  return report::document_text(json);
}

std::string table(wire::WireKind wire, const std::vector<Row>& rows) {
  report::Table table("rlrrrr");
  table.row({"bytes", "strategy", "median µs", "99 % µs", "bus GB/s", "messages"});
  for (const Row& row : rows) {
    table.row({with_commas(row.bytes), std::string(plan::name(row.spec.strategy)),
               fmt::format("{:.2f}", row.median * 1e6), fmt::format("{:.2f}", row.p99 * 1e6),
               fmt::format("{:.3f}", bus_gigabytes_per_second(row)),
               with_commas(plan::closed_form(row.spec).messages)});
  }
  return fmt::format("allreduce on the wire {}, {}\n{}", wire::name(wire),
                     counted(rows.front().spec.workers, "worker"), table.text());
}

void report(const Flags& flags, wire::WireKind wire, const std::vector<Row>& rows) {
  write_output(flags.json ? document(wire, rows) : table(wire, rows));
}

// Runs as one of the processes that another launcher has started; node 0 reports.
void bench_as_node(const Flags& flags, const world::FoundWorld& world) {
  const std::chrono::nanoseconds timeout = timeout_of(flags);
  const std::unique_ptr<world::Connection> connection = world::connect(world, Deadline::after(timeout));
  wire::Wire& wire = connection->wire();
  Flags as_it_is = flags;
  as_it_is.private_memory = flags.private_memory || wire.windows() == nullptr;
  const std::vector<AllreduceCase> cases = cases_of(as_it_is, wire.kind());
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (wire.rank() == 0) tell_progress(cases[i], i, cases.size());
    const AllreduceTimes times;
    time_allreduce(wire, cases[i], times);
    if (wire.rank() == 0) rows.push_back(row_of(cases[i], times));
  }
  if (wire.rank() == 0) report(flags, wire.kind(), rows);
}

// Uses the world that the launcher describes, with the flags that were given.
void bench_in_world(Flags flags, world::FoundWorld world, const Given& given) {
  const std::int64_t servers = parse_integer(flags.servers, "--servers", 0, kMostWorkers);
  const std::string workers = std::to_string(world.size - servers);
  if (given.workers && flags.workers != workers) {
    throw bad_input(fmt::format("--workers is {}, but {} has started {}", printable(flags.workers),
                                world.source, counted(world.size, "node")),
                    "leave --workers out");
  }
  flags.workers = workers;
  if (given.wire) {
    world.wire = wire_of(flags);
    refuse_another_wire(*world.wire, world, "--wire " + flags.wire, "trireme bench allreduce");
  }
  bench_as_node(flags, world);
}

void bench(Flags flags, const Given& given) {
  const world::FoundWorld world = world::find_world();
  // A single process under mpirun is timed as it is; it could not start mpirun again.
  const bool is_node = world.size > 1 || (flags.wire == wire::name(wire::WireKind::kMpi) &&
                                          world.source == world::kOpenMpiSource);
  if (flags.servers.empty()) {
    const bool is_served = flags.strategy == plan::name(plan::Strategy::kParameterServer);
    flags.servers = is_served && !is_node ? "1" : "0";
    if (is_served && is_node && world.rank == 0) {
      write_error(
          "trireme bench: every worker holds a share; --servers NUMBER makes the last nodes servers\n");
    }
  }
  if (is_node) return bench_in_world(flags, world, given);
  const wire::WireKind wire = wire_of(flags);
  const std::vector<AllreduceCase> cases = cases_of(flags, wire);
  if (wire == wire::WireKind::kMpi) {
    if (const int status = launch::run_again_under_mpirun(cases[0].nodes()); status != 0) std::exit(status);
    return;
  }
  const Measured measured = measure(cases);
  if (!measured.rows.empty()) report(flags, wire, measured.rows);
  if (!measured.interrupted) return;
  write_error("trireme bench: interrupted\n");
  std::exit(kExitInterrupted);
}

}  // namespace

void add_bench(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("bench", "Time exchanges on this host");
  command->add_option("WHAT", flags->what, "what to time (allreduce, the only one)")->type_name("");
  const auto option = [&](const char* flag, std::string& value, const char* type, const std::string& text) {
    const std::string otherwise = value.empty() ? "" : fmt::format(" ({})", value);
    command->add_option(flag, value, text + otherwise)->type_name(type);
  };
  option("--workers", flags->workers, "NUMBER", "how many workers");
  option("--servers", flags->servers, "NUMBER",
         "dedicated servers of parameter-server (1); 0: a share on each worker");
  option("--wire", flags->wire, "WIRE", "shm, tcp, mpi or threads");
  option("--strategy", flags->strategy, "STRATEGY", "strategy of the exchange, or auto");
  option("--min-bytes", flags->min_bytes, "SIZE", "smallest buffer; each next one is 4 times larger");
  option("--max-bytes", flags->max_bytes, "SIZE", "no buffer is larger, such as 1MiB or 4kB");
  command->add_flag("--private", flags->private_memory, "use ordinary memory, not shared windows")
      ->disable_flag_override();
  command->add_option("--timeout", flags->timeout, "deadline of one exchange (60s)")->type_name("TIME");
  command->add_flag("--json", flags->json, "print one JSON document")->disable_flag_override();
  command->footer(kExamples);
  command->callback([=] {
    refuse_empty(*command);
    bench(*flags, {command->count("--workers") > 0, command->count("--wire") > 0});
  });
}

}  // namespace trireme::cli
