// `trireme explain`: one exchange, or all strategies side by side, explained, counted, verified and
// optionally run.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input/explain_request.h"
#include "cli/rehearsal.h"
#include "plan/holdings.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/verify.h"
#include "report/exchange_report.h"

namespace trireme::cli {
namespace {

// Up to this many messages, a plan is made in full (about 180 bytes for each message), counted and verified.
constexpr std::int64_t kMostMessagesToMake = 3'000'000;
// The most numbers shown with the steps, in all messages together; three times as many are kept in memory.
constexpr std::int64_t kMostNumbersToTell = 20'000'000;
// The most numbers in the memory of all nodes together, for operations other than sums.
constexpr std::int64_t kMostNumbersToHold = 100'000'000;

constexpr const char* kExamples = R"(
Strategies: all-to-all, parameter-server, ring, direct, recursive-doubling,
halving-doubling, tree, hierarchical

Operations: sum, broadcast (tree, direct, star), gather (direct, tree),
all-gather (direct, ring), scatter (direct, tree),
reduce-scatter (direct, ring), all-to-all (direct)

Examples:
  trireme explain ring --workers 4 --parameters 1000
  trireme explain ring --workers 4 --parameters 1000 --order A,B,D,C --run
  trireme explain ring --values examples/ring_by_hand/values.csv
  trireme explain parameter-server --workers 4 --servers 2 --parameters 8 --json
  trireme explain parameter-server --mode async --workers 4 --servers 2 --parameters 1000 --run
  trireme explain parameter-server --values examples/ring_by_hand/values.csv \
    --weights examples/ring_by_hand/weights.csv --rate 0.1
  trireme explain hierarchical --workers 8 --hosts 2 --parameters 1000 --node A
  trireme explain --operation broadcast --workers 8 --parameters 1000 --root C
  trireme explain --all --workers 8 --parameters 25000000
)";

bool is_too_large(const plan::PlanSpec& spec) {
  return plan::closed_form(spec).elements > plan::PlanSpec::kMaxElements;
}

std::string too_large_in_words(const plan::PlanSpec& spec) {
  return fmt::format("all messages of {} together would exceed 2^63 bytes", plan::title(spec));
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
void require_finite(const ExplainFlags& flags, const ExplainRequest& request, const plan::Values& sums) {
  if (!plan::adds_up(request.spec.operation)) return;
  for (Rank rank = 0; rank < request.spec.workers; ++rank) {
    const std::vector<double>& own = sums[idx(rank)];
    const auto large =
        std::find_if_not(own.begin(), own.end(), [](double sum) { return std::isfinite(sum); });
    if (large == own.end()) continue;
    const std::int64_t column =
        plan::holdings(request.spec, rank).after.front().first + (large - own.begin());
    throw bad_input(fmt::format("{}: the sum of {} over all workers is too large for float64", flags.values,
                                request.columns[idx(column)]),
                    "give smaller numbers");
  }
}

// Refuses what sums can do and other operations cannot.
void require_possible(const ExplainFlags& flags, const ExplainRequest& request) {
  const plan::PlanSpec& spec = request.spec;
  if (spec.operation == plan::Operation::kSum) return;
  // Every node keeps the elements of all on the way, although it holds but a part before and afterwards.
  if (!request.values || spec.elements() <= kMostNumbersToHold / spec.workers) return;
  throw bad_input(fmt::format("{}: {} of {} workers on the way are too many numbers to calculate with",
                              flags.values, counted(spec.elements(), "element"), with_commas(spec.workers)),
                  "try fewer values or workers");
}

// All limits of size, before any work is done.
void require_explainable(const ExplainFlags& flags, const ExplainRequest& request,
                         const plan::ClosedForm& form) {
  const plan::PlanSpec& spec = request.spec;
  const bool lists_ops = !flags.quiet_ops;
  if (is_too_large(spec)) {
    throw bad_input(
        fmt::format("--parameters: {} is too many: {}", spec.parameters, too_large_in_words(spec)),
        "try fewer parameters or workers");
  }
  plan::check(spec);
  require_possible(flags, request);
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

void print(const ExplainFlags& flags, const report::ExchangeReport& report) {
  write_output(flags.json ? report::document_text(report::to_json(report)) : report::to_text(report));
}

// A plan too large to be made in full: explained by formula, and with one node's own program if requested.
void explain_large(const ExplainFlags& flags, const ExplainRequest& request, const plan::ClosedForm& form) {
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

// In a mode other than sync the formulas are those of one worker's update.
plan::ClosedForm form_of(const ExplainRequest& request) {
  return request.mode == plan::Mode{} ? plan::closed_form(request.spec)
                                      : plan::closed_form_of_update(request.spec);
}

void explain_one(const ExplainFlags& flags) {
  const plan::Strategy strategy = flags.strategy.empty() ? plan::default_strategy(operation_of(flags))
                                                         : plan::parse_strategy(flags.strategy);
  const ExplainRequest request = understand(flags, strategy);
  const plan::PlanSpec& spec = request.spec;
  const plan::ClosedForm form = form_of(request);
  require_explainable(flags, request, form);
  if (form.messages > kMostMessagesToMake) return explain_large(flags, request, form);

  const plan::Plan plan = plan::make_plan(spec);
  report::ExchangeReport report{spec, request.names, form, plan::count(plan)};
  report.node = request.node;
  report.mode = request.mode;
  report.workers = request.workers;
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

void explain_all(const ExplainFlags& flags) {
  if (!flags.strategy.empty()) throw bad_input("--all compares all strategies", "leave the strategy out");
  for (const auto& [given, flag] : {std::pair{!flags.values.empty(), "--values"},
                                    {!flags.weights.empty(), "--weights"},
                                    {!flags.rate.empty(), "--rate"},
                                    {!flags.order.empty(), "--order"},
                                    {!flags.mode.empty(), "--mode"},
                                    {!flags.node.empty(), "--node"},
                                    {flags.run, "--run"}}) {
    if (given) throw bad_input(fmt::format("{} does not go with --all", flag), "name one strategy");
  }
  std::vector<ExplainRequest> requests;
  const plan::Operation operation = operation_of(flags);
  for (const plan::Strategy strategy : plan::strategies_of(operation)) {
    ExplainFlags own = flags;
    const bool is_sum = operation == plan::Operation::kSum;  // others have neither servers nor hosts
    if (is_sum && strategy != plan::Strategy::kParameterServer) own.servers.clear();
    if (is_sum && strategy != plan::Strategy::kHierarchical) own.hosts.clear();
    requests.push_back(understand(own, strategy));
  }
  std::vector<report::ExchangeReport> reports;
  for (const ExplainRequest& request : requests) {
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
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* command = program.add_subcommand("explain", "Explain, count and verify an exchange of gradients");
  const auto option = [&](const char* flag, std::string& value, const char* type, const char* text) {
    command->add_option(flag, value, text)->type_name(type);
  };
  const auto yes_or_no = [&](const char* flag, bool& value, const char* text) {
    command->add_flag(flag, value, text)->disable_flag_override();
  };
  option("STRATEGY", flags->strategy, "", "how it is done; with --operation there is a default");
  option("--operation", flags->operation, "NAME", "what the workers do together (sum)");
  option("--root", flags->root, "NAME",
         "for broadcast, gather and scatter: the worker that has or gets all (A)");
  option("--workers", flags->workers, "NUMBER", "how many workers take part");
  option("--parameters", flags->parameters, "NUMBER", "how many elements are exchanged");
  option("--servers", flags->servers, "NUMBER", "parameter servers (1); 0: a share on each worker");
  option("--mode", flags->mode, "MODE",
         "with parameter-server: sync, or one worker's update in async, ssp:3 or backup:1 (sync)");
  option("--hosts", flags->hosts, "NUMBER", "for hierarchical: hosts the workers are on (1)");
  option("--order", flags->order, "LIST", "the ring order, such as A,B,D,C (A,B,C,D)");
  option("--values", flags->values, "FILE",
         "what the workers bring, such as gradients, in CSV: worker,v0,v1,…");
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
    if (!flags->all && flags->strategy.empty() && flags->operation.empty()) {
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
