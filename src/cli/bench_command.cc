// `trireme bench`: how long an operation takes on this host, for each size, with its own processes or
// threads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/bench/operation_run.h"
#include "cli/bench/operation_timing.h"
#include "cli/bench/timed_operation.h"
#include "cli/command.h"
#include "cli/launched.h"
#include "exec/auto_strategy.h"
#include "launch/mpirun.h"
#include "launch/signals.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/operations.h"
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

A size is that of the whole buffer, also where each worker brings or gets a
chunk of it; in an all-to-all it is what each worker brings for all together.
In a ping-pong workers 0 and 1, 2 and 3, and so on send each other a message of
this size in turn, and the time is half of the round trip. A broadcast goes from
each worker in turn, and the time is that of one.

Under trireme launch or mpirun the nodes are those that the launcher has
started, and --wire for launch stands before the program.

Examples:
  trireme bench allreduce --workers 4
  trireme bench allreduce --workers 2 --strategy ring --min-bytes 1MiB
  trireme bench allreduce --workers 4 --wire threads --max-bytes 64KiB --json
  trireme bench all-gather --workers 4 --wire tcp
  trireme bench ping-pong --workers 2
  trireme launch -n 4 --wire tcp -- trireme bench allreduce
  mpirun -n 4 trireme bench allreduce --wire mpi
)";

constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr std::int32_t kMostWorkers = 256;

// The flags as typed; parsed only when all are known, so that messages can name the flag.
struct Flags {
  std::string what = "allreduce", workers = "4", servers, wire = "shm", strategy = "auto", min_bytes,
              max_bytes = "64MiB", timeout;
  bool private_memory = false, json = false;
};

// Which flags were typed, where that makes a difference.
struct Given {
  bool workers = false, wire = false;
};

struct Row {
  OperationCase setting;
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

std::optional<plan::Strategy> strategy_of(const Flags& flags, TimedOperation operation) {
  const std::optional<plan::Strategy> strategy = exec::parse_strategy_or_auto(flags.strategy);
  if (strategy && operation == kPingPong) {
    throw bad_input("--strategy: a ping-pong has none", "leave the flag out");
  }
  if (strategy) plan::require_strategy(*operation, *strategy);
  return strategy;
}

void check_nodes(const OperationCase& setting) {
  if (setting.servers > 0 && setting.operation != plan::Operation::kSum) {
    throw bad_input(fmt::format("--servers: {} has none", bench_name(setting.operation)),
                    "leave the flag out");
  }
  if (setting.servers > 0 && setting.strategy != plan::Strategy::kParameterServer) {
    throw bad_input("--servers is for parameter-server", "add --strategy parameter-server");
  }
  if (setting.operation == kPingPong && setting.workers < 2) {
    throw bad_input("a ping-pong takes two workers", "give --workers 2");
  }
}

std::vector<OperationCase> cases_of(const Flags& flags, wire::WireKind wire, bool has_windows) {
  OperationCase setting;
  setting.operation = parse_timed_operation(flags.what);
  setting.wire = wire;
  setting.strategy = strategy_of(flags, setting.operation);
  setting.workers = static_cast<std::int32_t>(parse_integer(flags.workers, "--workers", 1, kMostWorkers));
  setting.servers = static_cast<std::int32_t>(parse_integer(flags.servers, "--servers", 0, kMostWorkers));
  check_nodes(setting);
  setting.has_windows = has_windows;
  setting.private_memory = flags.private_memory || setting.wire != wire::WireKind::kShm;
  setting.timeout = timeout_of(flags);
  const std::int64_t fewest = fewest_bytes(setting.operation, setting.workers);
  const std::int64_t min = flags.min_bytes.empty() ? fewest : bytes_of(flags.min_bytes, "--min-bytes");
  const std::int64_t max = bytes_of(flags.max_bytes, "--max-bytes");
  if (std::min(min, max) < fewest) {
    throw bad_input(fmt::format("{}: {} is less than one float32 for each of {}",
                                min < fewest ? "--min-bytes" : "--max-bytes", std::min(min, max),
                                counted(setting.workers, "worker")),
                    fmt::format("give {} or more", fewest));
  }
  if (min > max) {
    throw bad_input(fmt::format("--min-bytes {} is more than --max-bytes {}", min, max), "swap them");
  }
  std::vector<OperationCase> cases;
  for (setting.bytes = min; setting.bytes <= max; setting.bytes *= 4) cases.push_back(setting);
  // Checked before anything starts: the largest buffer must fit.
  wire::shm::require_memory(static_cast<std::size_t>(setting.nodes()),
                            static_cast<std::size_t>(bytes_of_a_node(cases.back())),
                            wire::shm::memory_left());
  return cases;
}

Row row_of(const OperationCase& setting, const OperationTimes& times) {
  const std::vector<double> seconds = times.slowest();
  return {setting, quantile(seconds, 0.5), quantile(seconds, 0.99)};
}

void tell_progress(const OperationCase& setting, std::size_t number, std::size_t cases) {
  std::string text =
      fmt::format("trireme bench: {} ({} of {})", bytes_in_words(setting.bytes), number + 1, cases);
  if (setting.operation != kPingPong && !setting.strategy) {
    text += ": auto takes " + choice_for(setting).why;
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
Measured measure(const std::vector<OperationCase>& cases) {
  launch::CaughtSignals signals;
  Measured measured;
  for (std::size_t i = 0; i < cases.size() && !measured.interrupted; ++i) {
    tell_progress(cases[i], i, cases.size());
    const OperationTimes times;
    const std::optional<int> ended_by = run_operation(cases[i], times);
    const std::optional<int> came = interrupt_of(signals.take());
    measured.interrupted = ended_by ? ended_by : came;
    if (!ended_by) measured.rows.push_back(row_of(cases[i], times));
  }
  return measured;
}

// The bandwidth over each worker's link, as nccl-tests defines it.
double bus_gigabytes_per_second(const Row& row) {
  const double bytes = static_cast<double>(row.setting.bytes);
  return bytes / row.median * part_on_link(row.setting.operation, row.setting.workers) / 1e9;
}

// In one call: for a ping-pong in a round trip.
std::int64_t messages_of(const OperationCase& setting) {
  if (setting.operation == kPingPong) return setting.workers / 2 * 2;
  return plan::closed_form(spec_of(setting)).messages;
}

std::string strategy_name(const OperationCase& setting) {
  return setting.operation == kPingPong ? "" : std::string(plan::name(spec_of(setting).strategy));
}

std::string document(wire::WireKind wire, const std::vector<Row>& rows) {
  report::Json json;
  json["rows"] = report::Json::array();
  for (const Row& row : rows) {
    report::Json one = {{"operation", bench_name(row.setting.operation)}, {"wire", wire::name(wire)}};
    if (row.setting.operation != kPingPong) one["strategy"] = strategy_name(row.setting);
    one.update({{"workers", row.setting.workers},
                {"bytes", row.setting.bytes},
                {"median_us", row.median * 1e6},
                {"p99_us", row.p99 * 1e6},
                {"busbw_GBps", bus_gigabytes_per_second(row)},
                {"messages", messages_of(row.setting)}});
    json["rows"].push_back(std::move(one));
  }
  return report::document_text(json);
}

std::string table(wire::WireKind wire, const std::vector<Row>& rows) {
  report::Table table("rlrrrr");
  table.row({"bytes", "strategy", "median µs", "99 % µs", "bus GB/s", "messages"});
  for (const Row& row : rows) {
    table.row({with_commas(row.setting.bytes), strategy_name(row.setting),
               fmt::format("{:.2f}", row.median * 1e6), fmt::format("{:.2f}", row.p99 * 1e6),
               fmt::format("{:.3f}", bus_gigabytes_per_second(row)), with_commas(messages_of(row.setting))});
  }
  const OperationCase& setting = rows.front().setting;
  return fmt::format("{} on the wire {}, {}\n{}", bench_name(setting.operation), wire::name(wire),
                     counted(setting.workers, "worker"), table.text());
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
  const std::vector<OperationCase> cases = cases_of(as_it_is, wire.kind(), wire.windows() != nullptr);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (wire.rank() == 0) tell_progress(cases[i], i, cases.size());
    const OperationTimes times;
    time_operation(wire, cases[i], times);
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
    refuse_another_wire(*world.wire, world, "--wire " + flags.wire, "trireme bench " + flags.what);
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
  const std::vector<OperationCase> cases = cases_of(flags, wire, wire == wire::WireKind::kShm);
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
  command
      ->add_option("OPERATION", flags->what,
                   fmt::format("what to time: {} ({})", fmt::join(bench_names(), ", "), flags->what))
      ->type_name("");
  const auto option = [&](const char* flag, std::string& value, const char* type, const std::string& text) {
    const std::string otherwise = value.empty() ? "" : fmt::format(" ({})", value);
    command->add_option(flag, value, text + otherwise)->type_name(type);
  };
  option("--workers", flags->workers, "NUMBER", "how many workers");
  option("--servers", flags->servers, "NUMBER",
         "dedicated servers of parameter-server (1); 0: a share on each worker");
  option("--wire", flags->wire, "WIRE", "shm, tcp, mpi or threads");
  option("--strategy", flags->strategy, "STRATEGY", "strategy of the exchange, or auto");
  option("--min-bytes", flags->min_bytes, "SIZE",
         "smallest buffer (4, or 4 for each worker); each next one is 4 times larger");
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
