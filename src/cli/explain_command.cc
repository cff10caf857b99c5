// `trireme explain`: one exchange, or all strategies side by side, explained, counted, verified and
// optionally run.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/rehearsal.h"
#include "cli/values_file.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/verify.h"
#include "report/exchange_report.h"

namespace trireme::cli {
namespace {

// Up to this many messages, a plan is made in full (about 180 bytes for each message), counted and verified.
constexpr std::int64_t kMostMessagesToMake = 3'000'000;
// The most numbers shown with the steps, in all messages together; three times as many are kept in memory.
constexpr std::int64_t kMostNumbersToTell = 20'000'000;

constexpr const char* kExamples = R"(
Strategies: all-to-all, parameter-server, ring, direct, recursive-doubling,
halving-doubling, tree, hierarchical

Examples:
  trireme explain ring --workers 4 --parameters 1000
  trireme explain ring --workers 4 --parameters 1000 --order A,B,D,C --run
  trireme explain ring --values examples/ring_by_hand/values.csv
  trireme explain parameter-server --workers 4 --servers 2 --parameters 8 --json
  trireme explain parameter-server --values examples/ring_by_hand/values.csv \
    --weights examples/ring_by_hand/weights.csv --rate 0.1
  trireme explain hierarchical --workers 8 --hosts 2 --parameters 1000 --node A
  trireme explain --all --workers 8 --parameters 25000000
)";

// The flags as typed; parsed only when all are known, so that messages can name the flag.
struct Flags {
  std::string strategy, workers, parameters, servers, hosts, order, values, weights, rate, node;
  bool all = false, run = false, json = false, quiet_ops = false;
};

struct Request {
  plan::PlanSpec spec;
  plan::NodeNames names{1, 0};
  std::optional<plan::Values> values;
  std::optional<plan::SgdUpdate> update;
  std::vector<std::string> columns;  // the names of the values
  std::optional<Rank> node;
};

std::int32_t parse_count(const std::string& text, const char* flag, std::int32_t min) {
  return static_cast<std::int32_t>(parse_integer(text, flag, min, plan::PlanSpec::kMaxNodes));
}

// Sets the number of workers and parameters from the flags, from the file, or from both if they agree.
void size_up(const Flags& flags, plan::PlanSpec& spec, const std::optional<ValuesFile>& file) {
  if (!flags.workers.empty()) spec.workers = parse_count(flags.workers, "--workers", 1);
  if (!flags.parameters.empty()) {
    spec.parameters =
        parse_integer(flags.parameters, "--parameters", 0, std::numeric_limits<std::int64_t>::max());
  }
  if (!file) {
    const char* hint = flags.all ? "say how many" : "say how many, or give --values";
    if (flags.workers.empty()) throw bad_input("--workers is missing", hint);
    if (flags.parameters.empty()) throw bad_input("--parameters is missing", hint);
    return;
  }
  const auto workers = static_cast<std::int32_t>(file->workers.size());
  const auto parameters = static_cast<std::int64_t>(file->values[0].size());
  if (!flags.workers.empty() && spec.workers != workers) {
    throw bad_input(fmt::format("--workers: {} given, but {} has {}", spec.workers, flags.values, workers),
                    "leave the flag out");
  }
  if (!flags.parameters.empty() && spec.parameters != parameters) {
    throw bad_input(
        fmt::format("--parameters: {} given, but {} has {}", spec.parameters, flags.values, parameters),
        "leave the flag out");
  }
  spec.workers = workers;
  spec.parameters = parameters;
}

void choose_servers(const Flags& flags, plan::PlanSpec& spec) {
  const bool has_servers = spec.strategy == plan::Strategy::kParameterServer;
  const std::int32_t servers =
      flags.servers.empty() ? (has_servers ? 1 : 0) : parse_count(flags.servers, "--servers", 0);
  if (servers > 0 && !has_servers) {
    throw bad_input(fmt::format("--servers: {} has none", plan::name(spec.strategy)),
                    "only parameter-server has; leave the flag out");
  }
  spec.servers = servers;
  if (has_servers && servers == 0) spec.shares_on_workers = spec.workers;
}

void choose_hosts(const Flags& flags, plan::PlanSpec& spec) {
  if (flags.hosts.empty()) return;
  const std::int32_t hosts = parse_count(flags.hosts, "--hosts", 1);
  if (hosts > 1 && spec.strategy != plan::Strategy::kHierarchical) {
    throw bad_input(fmt::format("--hosts: {} does not look at hosts", plan::name(spec.strategy)),
                    "only hierarchical does; leave the flag out");
  }
  if (spec.workers % hosts != 0) {
    throw bad_input(
        fmt::format("--hosts: {} workers do not divide evenly over {} hosts", spec.workers, hosts),
        "give every host as many workers as the others");
  }
  spec.hosts = hosts;
}

void take_file(const Flags& flags, ValuesFile file, Request& request) {
  try {
    request.names = plan::NodeNames(std::move(file.workers), request.spec.servers);
  } catch (const Error& error) {
    throw bad_input(flags.values + ": " + error.failure().what, error.failure().hint);
  }
  request.values = std::move(file.values);
  request.columns = std::move(file.columns);
}

double parse_rate(const std::string& text) {
  const std::string_view digits = without_plus(text);
  double rate = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rate);
  if (error == std::errc{} && end == digits.data() + digits.size() && std::isfinite(rate) && rate >= 0)
    return rate;
  throw bad_input(fmt::format("--rate: '{}' is not a learning rate", printable(text)),
                  "give a number such as 0.1");
}

// The update that the holders of shares apply to the sums, if it is to be shown.
std::optional<plan::SgdUpdate> read_update(const Flags& flags, const plan::PlanSpec& spec) {
  if (flags.weights.empty() && flags.rate.empty()) return std::nullopt;
  if (spec.strategy != plan::Strategy::kParameterServer) {
    throw bad_input(fmt::format("{}: with {} no weights are sent",
                                flags.weights.empty() ? "--rate" : "--weights", plan::name(spec.strategy)),
                    "only parameter-server sends them; leave the flag out");
  }
  if (flags.values.empty()) throw bad_input("--weights and --rate need --values", "give the gradients");
  if (flags.weights.empty()) throw bad_input("--rate needs --weights", "give the weights");
  if (flags.rate.empty()) throw bad_input("--weights needs --rate", "give the learning rate, such as 0.1");
  if (flags.run)
    throw bad_input("--run exchanges sums, and --weights shows an update", "leave one of them out");
  plan::SgdUpdate update{read_weights_file(flags.weights), parse_rate(flags.rate)};
  if (std::ssize(update.weights) != spec.parameters) {
    throw bad_input(fmt::format("{} has {}, and {} has {}", flags.weights,
                                counted(std::ssize(update.weights), "weight"), flags.values, spec.parameters),
                    "give each its column");
  }
  return update;
}

bool is_too_large(const plan::PlanSpec& spec) {
  return plan::closed_form(spec).elements > plan::PlanSpec::kMaxElements;
}

std::string too_large_in_words(const plan::PlanSpec& spec) {
  return fmt::format("all messages of {} together would exceed 2^63 bytes", plan::name(spec.strategy));
}

Request understand(const Flags& flags, plan::Strategy strategy) {
  Request request;
  plan::PlanSpec& spec = request.spec;
  spec.strategy = strategy;
  std::optional<ValuesFile> file;
  if (!flags.values.empty()) file = read_values_file(flags.values);
  size_up(flags, spec, file);
  choose_servers(flags, spec);
  choose_hosts(flags, spec);
  request.update = read_update(flags, spec);
  if (file) {
    take_file(flags, std::move(*file), request);
  } else {
    request.names = plan::NodeNames(spec.workers, spec.servers);
  }
  if (!flags.order.empty()) {
    if (!plan::follows_ring_order(strategy)) {
      throw bad_input(fmt::format("--order: {} does not follow a ring order", plan::name(strategy)),
                      "all-to-all, parameter-server, ring and direct do");
    }
    spec.order = plan::parse_order(flags.order, "--order", spec.workers, request.names);
  }
  if (!flags.node.empty()) {
    request.node = request.names.find(flags.node);
    if (!request.node) {
      throw bad_input(fmt::format("--node: there is no node '{}'", flags.node),
                      fmt::format("the first is {}, the last {}", request.names.of(0),
                                  request.names.of(spec.nodes() - 1)));
    }
  }
  return request;
}

void require_right(const plan::Plan& plan, const plan::Tally& tally, const plan::ClosedForm& form) {
  const std::vector<plan::verifier::Problem> problems = plan::verifier::verify(plan);
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.hint = "please report this command: it is a mistake in trireme";
  for (const plan::verifier::Problem& problem : problems) failure.what += problem.text + "\n";
  if (tally.messages != form.messages || tally.elements != form.elements || tally.steps != form.steps ||
      tally.min_message_elements != form.min_message_elements ||
      tally.max_message_elements != form.max_message_elements) {
    failure.what += fmt::format("counted {} messages in {} steps, but the formula gives {} in {}",
                                tally.messages, tally.steps, form.messages, form.steps);
  }
  if (!failure.what.empty()) throw Error(failure);
}

// Sums of finite numbers may exceed the range of float64; neither text nor JSON could show them.
void require_finite(const Flags& flags, const Request& request, const plan::Values& sums) {
  for (std::size_t i = 0; i < sums[0].size(); ++i) {
    if (std::isfinite(sums[0][i])) continue;
    throw bad_input(fmt::format("{}: the sum of {} over all workers is too large for float64", flags.values,
                                request.columns[i]),
                    "give smaller numbers");
  }
}

void print(const Flags& flags, const report::ExchangeReport& report) {
  write_output(flags.json ? report::document_text(report::to_json(report)) : report::to_text(report));
}

// All limits of size, before any work is done.
void require_explainable(const Flags& flags, const Request& request, const plan::ClosedForm& form) {
  const plan::PlanSpec& spec = request.spec;
  const bool lists_ops = !flags.quiet_ops;
  if (is_too_large(spec)) {
    throw bad_input(
        fmt::format("--parameters: {} is too many: {}", spec.parameters, too_large_in_words(spec)),
        "try fewer parameters or workers");
  }
  plan::check(spec);
  if (form.messages > kMostMessagesToMake && (flags.run || request.values)) {
    throw bad_input(
        fmt::format("{} are too many to be run or calculated here", counted(form.messages, "message")),
        "try fewer workers");
  }
  if (lists_ops && flags.json && !request.node && form.messages > report::kMostMessagesToList) {
    throw bad_input(fmt::format("{} are too many to list", counted(form.messages, "message")),
                    "give --quiet-ops, or --node for one node's");
  }
  if (lists_ops && request.values && form.elements > kMostNumbersToTell) {
    throw bad_input(fmt::format("{}: its messages carry {} numbers, too many to tell them all", flags.values,
                                with_commas(form.elements)),
                    "give --quiet-ops for the results alone");
  }
}

// A plan too large to be made in full: explained by formula, and with one node's own program if requested.
void explain_large(const Flags& flags, const Request& request, const plan::ClosedForm& form) {
  std::optional<plan::Program> program;
  plan::Narrative story;
  report::ExchangeReport report{request.spec, request.names, form};
  report.node = request.node;
  if (request.node && !flags.quiet_ops) {
    program = plan::make_program(request.spec, *request.node);
    story = plan::narrate(*program);
    report.events = &story.events;
  }
  print(flags, report);
}

void explain_one(const Flags& flags) {
  const Request request = understand(flags, plan::parse_strategy(flags.strategy));
  const plan::PlanSpec& spec = request.spec;
  const plan::ClosedForm form = plan::closed_form(spec);
  require_explainable(flags, request, form);
  if (form.messages > kMostMessagesToMake) return explain_large(flags, request, form);

  const plan::Plan plan = plan::make_plan(spec);
  report::ExchangeReport report{spec, request.names, form, plan::count(plan)};
  report.node = request.node;
  require_right(plan, *report.tally, form);
  const plan::SgdUpdate* const update = request.update ? &*request.update : nullptr;
  report.update = update;
  plan::Narrative story;
  if (!flags.quiet_ops) {
    story = plan::narrate(plan, request.values ? &*request.values : nullptr, request.node, update);
    report.events = &story.events;
  } else if (request.values) {
    story.results = plan::calculate(plan, *request.values, update);
  }
  if (request.values) {
    require_finite(flags, request, story.results);
    report.brought = &*request.values;
    report.results = &story.results;
  }
  if (flags.run) report.run = rehearse(plan, request.values);
  print(flags, report);
}

void explain_all(const Flags& flags) {
  if (!flags.strategy.empty()) throw bad_input("--all compares all strategies", "leave the strategy out");
  for (const auto& [given, flag] : {std::pair{!flags.values.empty(), "--values"},
                                    {!flags.weights.empty(), "--weights"},
                                    {!flags.rate.empty(), "--rate"},
                                    {!flags.order.empty(), "--order"},
                                    {!flags.node.empty(), "--node"},
                                    {flags.run, "--run"}}) {
    if (given) throw bad_input(fmt::format("{} does not go with --all", flag), "name one strategy");
  }
  std::vector<Request> requests;
  for (const plan::Strategy strategy : plan::all_strategies()) {
    Flags own = flags;
    if (strategy != plan::Strategy::kParameterServer) own.servers.clear();
    if (strategy != plan::Strategy::kHierarchical) own.hosts.clear();
    requests.push_back(understand(own, strategy));
  }
  std::vector<report::ExchangeReport> reports;
  for (const Request& request : requests) {
    const plan::ClosedForm form = plan::closed_form(request.spec);
    reports.push_back({request.spec, request.names, form});
    if (is_too_large(request.spec)) {
      reports.back().too_large = too_large_in_words(request.spec);
      continue;
    }
    plan::check(request.spec);
    if (form.messages > kMostMessagesToMake) continue;
    const plan::Plan plan = plan::make_plan(request.spec);
    reports.back().tally = plan::count(plan);
    require_right(plan, *reports.back().tally, form);
  }
  write_output(flags.json ? report::document_text(report::compare_json(reports))
                          : report::compare_text(reports));
}

}  // namespace

void add_explain(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("explain", "Explain, count and verify an exchange of gradients");
  const auto option = [&](const char* flag, std::string& value, const char* type, const char* text) {
    command->add_option(flag, value, text)->type_name(type);
  };
  const auto yes_or_no = [&](const char* flag, bool& value, const char* text) {
    command->add_flag(flag, value, text)->disable_flag_override();
  };
  option("STRATEGY", flags->strategy, "", "how the gradients are exchanged");
  option("--workers", flags->workers, "NUMBER", "how many workers take part");
  option("--parameters", flags->parameters, "NUMBER", "how many elements are exchanged");
  option("--servers", flags->servers, "NUMBER", "parameter servers (1); 0: a share on each worker");
  option("--hosts", flags->hosts, "NUMBER", "for hierarchical: hosts the workers are on (1)");
  option("--order", flags->order, "LIST", "the ring order, such as A,B,D,C (A,B,C,D)");
  option("--values", flags->values, "FILE", "gradients of the workers, in CSV: worker,v0,v1,…");
  option("--weights", flags->weights, "FILE",
         "with parameter-server and --values: weights to update, in CSV: weights,v0,v1,…");
  option("--rate", flags->rate, "NUMBER", "learning rate of that update");
  option("--node", flags->node, "NAME", "show only this node's messages");
  yes_or_no("--all", flags->all, "compare all strategies in one table");
  yes_or_no("--run", flags->run, "also run it on threads and compare the results");
  yes_or_no("--json", flags->json, "one JSON document instead of text");
  yes_or_no("--quiet-ops", flags->quiet_ops, "do not list the single messages");
  command->footer(kExamples);
  command->callback([command, flags] {
    refuse_empty(*command);
    if (!flags->all && flags->strategy.empty()) {
      throw bad_input("explain needs a strategy or --all",
                      "for example: trireme explain ring --workers 4 --parameters 1000");
    }
    if (flags->all) {
      explain_all(*flags);
    } else {
      explain_one(*flags);
    }
  });
}

}  // namespace trireme::cli
