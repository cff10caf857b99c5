// `trireme launch`: any program as the nodes of a job on this host.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "launch/environment.h"
#include "launch/job.h"
#include "launch/logs.h"
#include "launch/world.h"
#include "report/exchange_report.h"
#include "wire/segment.h"

namespace trireme {
namespace {

constexpr int kFailed = 1;
constexpr int kInterrupted = 130;

constexpr const char* kExamples = R"(
Each copy finds its number in TRIREME_RANK and how many there are in
TRIREME_SIZE. What it prints comes out line by line with its rank before it.
When one fails, the others are ended too, and the first failure is said last.

Examples:
  trireme launch -n 4 ./train --epochs 3
  trireme launch -n 4 --timeout 5min --logs logs -- ./train --epochs 3
  trireme launch -n 2 -- sh -c 'echo I am $TRIREME_RANK of $TRIREME_SIZE'
)";

// As typed; read only after all of it is there, so that messages can name the flag.
struct Flags {
  std::string nodes, timeout, logs;
  bool json = false;
  std::vector<std::string> program;
};

void say(const std::string& sentence) { fmt::print(stderr, "trireme launch: {}\n", sentence); }

std::string shown(const std::filesystem::path& path) { return printable(path.string()); }

void understand(const Flags& flags, JobOptions& options) {
  if (flags.nodes.empty()) throw bad_input("-n is missing", "say how many: trireme launch -n 4 -- ./train");
  options.nodes = static_cast<Rank>(parse_integer(flags.nodes, "-n", 1, JobOptions::kMaxNodes));
  // The flag, or else what a launcher around this one has set, or else the default.
  options.timeout = flags.timeout.empty() ? find_timeout() : parse_duration(flags.timeout, "--timeout");
  if (flags.program.empty()) {
    throw bad_input("launch needs a program to run",
                    fmt::format("for example: trireme launch -n {} -- ./train", options.nodes));
  }
  if (flags.json) options.out = STDERR_FILENO;  // standard output is for the document
}

// A folder that was wished for must be had; without the usual one the job can do.
void choose_logs(const Flags& flags, JobOptions& options) {
  const bool wished = !flags.logs.empty();
  const std::filesystem::path folder = wished
                                           ? std::filesystem::path(flags.logs)
                                           : default_log_folder(std::chrono::system_clock::now(), getpid());
  try {
    make_log_folder(folder);
  } catch (const Error& error) {
    if (wished) throw bad_input("--logs: " + error.failure().what, error.failure().hint);
    say(error.failure().what + "; going on without logs (--logs names another folder)");
    return;
  }
  options.logs = folder;
  say("logs are in " + shown(folder));
}

// The nodes meet in memory that they inherit; there they also say what fails first.
std::shared_ptr<Segment> share_memory(JobOptions& options) {
  std::shared_ptr<Segment> segment = Segment::create(options.nodes);
  options.inherited_fds.push_back(segment->fd());
  options.environment.emplace_back(environment::kSegment, std::to_string(segment->fd()));
  options.first_failure = [memory = segment.get()] { return memory->first_failure(); };
  options.ended = [memory = segment.get()](Rank rank, const RankEnd& end) {
    memory->bury(rank, end.process);
  };
  return segment;
}

Json rank_json(Rank rank, const RankEnd& end) {
  return {{"rank", rank},
          {"process", end.process},
          {"status", end.how == RankEnd::How::kExited ? "exited" : "killed"},
          {"code", end.code}};
}

std::string document(const JobOptions& options, const JobEnd& end) {
  Json json;
  json["nodes"] = options.nodes;
  json["ok"] = end.ok();
  json["seconds"] = std::chrono::duration<double>(end.elapsed).count();
  json["logs"] = nullptr;
  if (options.logs) json["logs"] = shown(*options.logs);
  json["ranks"] = Json::array();
  for (std::size_t i = 0; i < end.ranks.size(); ++i) {
    json["ranks"].push_back(rank_json(static_cast<Rank>(i), end.ranks[i]));
  }
  json["first_failure"] = nullptr;
  if (end.first_failure) json["first_failure"] = end.first_failure->text;
  return document_text(json);
}

// Says what went wrong, the first failure last; returns the exit status.
int tell(const JobEnd& end) {
  if (end.interrupted) {
    say(fmt::format("interrupted by signal {} ({})", *end.interrupted, sigdescr_np(*end.interrupted)));
  }
  if (end.first_failure) {
    const auto& [text, rank, hint] = *end.first_failure;
    say("first failure: " + text + (hint.empty() ? "" : "; " + hint));
  }
  return end.interrupted ? kInterrupted : end.first_failure ? kFailed : 0;
}

int launch(const Flags& flags) {
  JobOptions options;
  understand(flags, options);
  const NodeBody body = program(flags.program);
  const std::shared_ptr<Segment> segment = share_memory(options);
  choose_logs(flags, options);
  const JobEnd end = run_job(options, body);
  if (flags.json) write_output(document(options, end));
  return tell(end);
}

}  // namespace

void add_launch(CLI::App& program, std::span<const char* const> words) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("launch", "Run a program as the nodes of a job on this host");
  command->add_option("-n", flags->nodes, "how many copies of the program run")->type_name("NUMBER");
  command->add_option("--timeout", flags->timeout, "deadline of one exchange (60s)")->type_name("TIME");
  command->add_option("--logs", flags->logs, "folder for rank-N.log (trireme-logs/TIME-PROCESS)")
      ->type_name("FOLDER");
  command->add_flag("--json", flags->json, "one JSON document at the end; the nodes' output goes to stderr")
      ->disable_flag_override();
  const CLI::Option* own =
      command->add_option("PROGRAM", flags->program, "what to run, and its arguments")->type_name("");
  command->positionals_at_end();  // from the first one on, all belongs to the program
  command->footer(kExamples);
  command->callback([=] {
    refuse_empty(*command);
    // CLI11 takes an argument like [a,b] apart, so the last words are taken as they were typed.
    const auto order = command->parse_order();
    const auto count = static_cast<std::size_t>(std::count(order.begin(), order.end(), own));
    const auto typed = words.last(count);
    flags->program.assign(typed.begin(), typed.end());
    if (const int status = launch(*flags); status != 0) std::exit(status);
  });
}

}  // namespace trireme
