// `trireme launch`: runs any program as the nodes of a job, on this host or on several.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/error.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/launch_report.h"
#include "launch/job.h"
#include "launch/logs.h"
#include "launch/signals.h"
#include "launch/ssh/agent.h"
#include "launch/ssh/host_list.h"
#include "launch/ssh/hosts_job.h"
#include "launch/ssh/shell_words.h"
#include "wire/rendezvous/address.h"
#include "wire/rendezvous/secret.h"
#include "wire/shm/segment.h"
#include "world/environment.h"
#include "world/world.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
Each copy finds its rank in TRIREME_RANK and their number in TRIREME_SIZE. Its
output appears line by line, with its rank in front. If one fails, the others
are stopped, the last line names the first failure, and launch ends with status
1, or with 2 if that copy did. An interrupted launch ends with status 130.

With --hosts, ranks follow the order of the hosts. Each host is reached by ssh
without a password, has trireme and the program at the same paths, and runs the
nodes in the folder of the same name, with the environment that ssh gives. The
logs of all ranks are written on this host. The nodes share a secret that launch
makes; TRIREME_SECRET or TRIREME_SECRET_FILE sets another one.

Examples:
  trireme launch -n 4 ./train --epochs 3
  trireme launch -n 4 --timeout 5min --logs logs -- ./train --epochs 3
  trireme launch --hosts a:4,b:4 --ssh 'ssh -p 2222' -- ./train --epochs 3
  trireme launch -n 2 -- sh -c 'echo I am $TRIREME_RANK of $TRIREME_SIZE'
)";

// The flags as typed; parsed only when all are known, so that messages can name the flag.
struct Flags {
  std::string nodes, hosts, ssh, wire, meet, timeout, logs;
  bool json = false;
  bool agent = false;
  std::vector<std::string> program;
};

// The flags after parsing.
struct Wishes {
  Rank nodes = 1;
  std::vector<launch::ssh::HostPart> hosts{};  // empty: this host
  // Empty: the program decides.
  std::optional<std::chrono::nanoseconds> timeout{};
  std::optional<wire::WireKind> wire{};
};

// The flag if given, otherwise the environment.
std::optional<wire::WireKind> choose_wire(const Flags& flags) {
  constexpr std::array kLaunched = {wire::WireKind::kAuto, wire::WireKind::kShm, wire::WireKind::kTcp};
  const bool typed = !flags.wire.empty();
  const std::string text = typed ? flags.wire : world::get_variable(world::environment::kWire).value_or("");
  if (text.empty()) return std::nullopt;
  const std::string where = typed ? "--wire" : world::environment::kWire;
  if (text == wire::name(wire::WireKind::kMpi)) {
    throw bad_input(fmt::format("{}: launch does not start MPI", where),
                    fmt::format("use {}=mpi mpirun -n {} PROGRAM instead", world::environment::kWire,
                                flags.nodes.empty() ? "4" : flags.nodes));
  }
  if (text == wire::name(wire::WireKind::kThreads)) {
    throw bad_input(fmt::format("{}: threads are of one process, and launch starts several", where),
                    "give auto, shm or tcp");
  }
  return wire::parse_wire(text, where, kLaunched);
}

Rank choose_nodes(const Flags& flags, const std::vector<launch::ssh::HostPart>& hosts) {
  if (flags.nodes.empty() && !hosts.empty()) return launch::ssh::nodes_of(hosts);
  if (flags.nodes.empty()) throw bad_input("-n is missing", "say how many: trireme launch -n 4 -- ./train");
  const auto nodes = static_cast<Rank>(parse_integer(flags.nodes, "-n", 1, launch::JobOptions::kMaxNodes));
  if (!hosts.empty() && nodes != launch::ssh::nodes_of(hosts)) {
    throw bad_input(fmt::format("workers not matching the hosts: -n is {}, and --hosts has {}", nodes,
                                launch::ssh::nodes_of(hosts)),
                    "leave out -n, or change one of the two");
  }
  return nodes;
}

// Flags that conflict are an error, not to be ignored.
void refuse_misfits(const Flags& flags, const Wishes& wishes) {
  if (wishes.hosts.empty() && !flags.ssh.empty())
    throw bad_input("--ssh is only for --hosts", "name the hosts");
  if (wishes.hosts.empty() && !flags.meet.empty() && wishes.wire != wire::WireKind::kTcp) {
    throw bad_input("--meet is only for --hosts and for --wire tcp", "add one of them, or leave it out");
  }
  if (!wishes.hosts.empty() && wishes.wire == wire::WireKind::kShm) {
    throw bad_input("--wire shm is for one host, and --hosts for several",
                    "leave out --wire: nodes of the same host share memory anyway");
  }
}

Wishes understand(const Flags& flags) {
  if (flags.nodes == "p") throw bad_input("unknown flag '-np'", "did you mean -n?");  // the flag of mpirun
  Wishes wishes;
  wishes.wire = choose_wire(flags);
  if (!flags.hosts.empty()) wishes.hosts = launch::ssh::parse_hosts(flags.hosts, "--hosts");
  wishes.nodes = choose_nodes(flags, wishes.hosts);
  // Without the flag: the timeout of an outer launcher, if there is one.
  wishes.timeout = flags.timeout.empty() ? world::find_timeout() : parse_duration(flags.timeout, "--timeout");
  refuse_misfits(flags, wishes);
  if (flags.program.empty()) {
    throw bad_input("launch needs a program to run",
                    fmt::format("for example: trireme launch -n {} -- ./train", wishes.nodes));
  }
  return wishes;
}

// A folder that the user named must be usable; the job can run without the default one.
std::optional<std::filesystem::path> choose_logs(const Flags& flags) {
  const bool wished = !flags.logs.empty();
  const std::filesystem::path folder =
      wished ? std::filesystem::path(flags.logs)
             : launch::default_log_folder(std::chrono::system_clock::now(), getpid());
  try {
    launch::make_log_folder(folder);
  } catch (const Error& error) {
    if (wished) throw bad_input("--logs: " + error.failure().what, error.failure().hint);
    say_of_launch(error.failure().what + "; going on without logs (--logs names another folder)");
    return std::nullopt;
  }
  say_of_launch("logs are in " + printable(folder.string()));
  return folder;
}

// The user's secret if given, otherwise a new one for this job.
wire::rendezvous::Secret choose_secret() {
  if (const auto text = world::get_variable(world::environment::kSecret))
    return wire::rendezvous::Secret::of(*text, world::environment::kSecret);
  if (const auto file = world::get_variable(world::environment::kSecretFile))
    return wire::rendezvous::Secret::read(*file);
  return wire::rendezvous::Secret::random();
}

// The nodes connect by TCP on this host, at a socket of rank 0 that listens before any of them runs.
Fd meet_by_tcp(const Flags& flags, launch::JobOptions& options) {
  wire::rendezvous::Address address = flags.meet.empty()
                                          ? wire::rendezvous::Address{"127.0.0.1", 0}
                                          : wire::rendezvous::parse_address(flags.meet, "--meet");
  const wire::rendezvous::Secret secret = choose_secret();
  Fd listener = wire::rendezvous::listen_at(address);
  address.port = wire::rendezvous::port_of(listener);
  options.inherited_fds.push_back(listener.get());
  options.environment.emplace_back(world::environment::kListener, std::to_string(listener.get()));
  options.environment.emplace_back(world::environment::kMeet, wire::rendezvous::to_string(address));
  options.environment.emplace_back(world::environment::kSecret, secret.text());
  return listener;
}

// Also prepares for a program that may choose TCP; in that case a host without loopback, or a bad secret, is
// not an error.
Fd meet_where_needed(const Flags& flags, const Wishes& wishes, launch::JobOptions& options) {
  if (wishes.wire == wire::WireKind::kTcp) return meet_by_tcp(flags, options);
  if (wishes.wire) return {};
  try {
    return meet_by_tcp(flags, options);
  } catch (const Error&) {
    return {};
  }
}

int launch_here(const Flags& flags, const Wishes& wishes) {
  launch::JobOptions options;
  options.nodes = wishes.nodes;
  options.timeout = wishes.timeout;
  if (flags.json) options.out = STDERR_FILENO;  // standard output is for the JSON document
  if (wishes.wire) options.environment.emplace_back(world::environment::kWire, wire::name(*wishes.wire));
  const launch::NodeBody body = launch::program(flags.program);
  // With TCP, the nodes still write there why they fail.
  options.memory = wire::shm::Segment::create(wishes.nodes);
  const Fd listener = meet_where_needed(flags, wishes, options);
  options.logs = choose_logs(flags);
  options.signals = &launch::CaughtSignals::to_the_end();
  options.ends_descendants = true;
  const launch::ssh::HostsJobEnd end = as_hosts_job_end(launch::run_job(options, body));
  if (flags.json) write_output(launch_document(end, {}, options.logs));
  return tell_end(end);
}

// ssh has no terminal here, so nobody could answer its questions.
std::vector<std::string> ssh_words(const Flags& flags) {
  if (flags.ssh.empty()) return {"ssh", "-o", "BatchMode=yes"};
  std::vector<std::string> words = launch::ssh::split_words(flags.ssh);
  if (words.empty()) throw bad_input("--ssh names no command", "give one like 'ssh -p 2222'");
  return words;
}

// Throws what is wrong with it before anything starts.
void look_for_ssh(const std::string& name) {
  try {
    (void)launch::find_program(name);
  } catch (const Error& error) {
    throw bad_input("--ssh: " + error.failure().what, "install it, or name another: --ssh CMD");
  }
}

int launch_on_hosts(const Flags& flags, const Wishes& wishes) {
  launch::ssh::HostsJobOptions options;
  options.hosts = wishes.hosts;
  options.ssh = ssh_words(flags);
  look_for_ssh(options.ssh.front());
  options.agent =
      launch::ssh::shell_quoted(std::filesystem::read_symlink("/proc/self/exe").string()) + " launch --agent";
  launch::ssh::HostTask& task = options.task;
  task.job_size = wishes.nodes;
  task.timeout = wishes.timeout;
  task.secret = choose_secret().text();
  if (wishes.wire) task.wire = wire::name(*wishes.wire);
  task.folder = std::filesystem::current_path().string();
  if (!flags.meet.empty())
    task.meet = wire::rendezvous::to_string(wire::rendezvous::parse_address(flags.meet, "--meet"));
  for (const launch::ssh::HostPart& host : wishes.hosts) task.hosts.push_back(host.name);
  task.program = flags.program;
  if (flags.json) options.out = STDERR_FILENO;
  options.logs = choose_logs(flags);
  options.signals = &launch::CaughtSignals::to_the_end();
  const launch::ssh::HostsJobEnd end = launch::ssh::run_hosts_job(options);
  if (flags.json) write_output(launch_document(end, options.hosts, options.logs));
  return tell_end(end);
}

int launch(const Flags& flags) {
  if (flags.agent) return launch::ssh::run_agent();
  const Wishes wishes = understand(flags);
  return wishes.hosts.empty() ? launch_here(flags, wishes) : launch_on_hosts(flags, wishes);
}

}  // namespace

void add_launch(CLI::App& program, std::span<const char* const> words) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      program.add_subcommand("launch", "Run a program as the nodes of a job, on one host or on several");
  command->add_option("-n", flags->nodes, "number of copies of the program")->type_name("NUMBER");
  command->add_option("--hosts", flags->hosts, "hosts and nodes on each: a:4,b:4 (this host)")
      ->type_name("LIST");
  command
      ->add_option("--ssh", flags->ssh,
                   "remote shell, called as CMD HOST COMMAND-LINE (ssh -o BatchMode=yes)")
      ->type_name("CMD");
  command->add_option("--wire", flags->wire, "wire between the nodes: auto, shm or tcp (auto)")
      ->type_name("WIRE");
  command->add_option("--meet", flags->meet, "address where rank 0 listens (default: chosen)")
      ->type_name("HOST:PORT");
  command->add_option("--timeout", flags->timeout, "deadline of one exchange (60s)")->type_name("TIME");
  command->add_option("--logs", flags->logs, "folder for rank-N.log (trireme-logs/TIME-PROCESS)")
      ->type_name("FOLDER");
  command->add_flag("--json", flags->json, "one JSON document at the end; the nodes' output goes to stderr")
      ->disable_flag_override();
  command->add_flag("--agent", flags->agent)->group("");  // --hosts starts this on each host
  const CLI::Option* own =
      command->add_option("PROGRAM", flags->program, "program and its arguments")->type_name("");
  command->positionals_at_end();  // everything from the first positional on belongs to the program
  command->footer(kExamples);
  command->callback([=] {
    refuse_empty(*command);
    // CLI11 splits an argument like [a,b], so the last words are taken as they were typed.
    const auto order = command->parse_order();
    const auto count = static_cast<std::size_t>(std::count(order.begin(), order.end(), own));
    const auto typed = words.last(count);
    flags->program.assign(typed.begin(), typed.end());
    if (const int status = launch(*flags); status != 0) std::exit(status);
  });
}

}  // namespace trireme::cli
