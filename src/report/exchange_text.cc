// Exchange reports as text.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "plan/explain/explain.h"
#include "plan/explain/words.h"
#include "plan/holdings.h"
#include "plan/share.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "report/exchange_report.h"
#include "report/mode_words.h"
#include "report/table.h"

namespace trireme::report {
namespace {

constexpr std::size_t kMostSentences = 40;
constexpr std::size_t kMostResults = 20;
constexpr std::size_t kMostParts = 3;  // plus the last one

std::string elements_in_words(std::int64_t elements) {
  return fmt::format("{} ({})", counted(elements, "element"), bytes_in_words(elements * kBytesPerElement));
}

std::string size_in_words(std::int64_t min, std::int64_t max) {
  if (min == max) return elements_in_words(min);
  std::string least = bytes_in_words(min * kBytesPerElement);
  const std::string most = bytes_in_words(max * kBytesPerElement);
  const std::size_t unit = least.find(' ');
  if (least.substr(unit) == most.substr(most.find(' '))) least.resize(unit);
  return fmt::format("{} to {} ({} to {})", with_commas(min), counted(max, "element"), least, most);
}

std::string ring_in_words(const plan::PlanSpec& spec, const plan::NodeNames& names) {
  std::string text;
  for (const Rank rank : spec.order.ranks()) text += names.of(rank) + " → ";
  return text + names.of(spec.order.rank_at(0));
}

std::string summary(const ExchangeReport& report) {
  const plan::PlanSpec& spec = report.spec;
  const bool one_update = report.mode != plan::Mode{};
  std::string text = plan::title(spec);
  if (one_update) text += " in mode " + to_string(report.mode);
  text += ": " + counted(one_update ? report.workers : spec.workers, "worker");
  if (spec.servers > 0) text += ", " + counted(spec.servers, "server");
  if (spec.shares_on_workers > 0) text += ", " + counted(spec.shares_on_workers, "share") + " on the workers";
  if (spec.strategy == plan::Strategy::kHierarchical) text += " on " + counted(spec.hosts, "host");
  text += ", " + counted(spec.parameters, "parameter");
  if (plan::has_root(spec.operation)) text += ", root " + report.names.of(spec.root);
  if (!spec.order.is_default()) text += ", ring order " + ring_in_words(spec, report.names);
  if (!one_update) return text + '\n';
  return text + "; this is the update of one worker\n" +
         mode_words(report.mode, report.workers, report.formula.messages);
}

std::string letters_of_formulas(const ExchangeReport& report) {
  const plan::PlanSpec& spec = report.spec;
  std::string text = report.mode == plan::Mode{} ? fmt::format("n = {}, ", with_commas(spec.workers)) : "";
  text += "p = " + with_commas(spec.parameters);
  if (plan::share_count(spec) > 1) text += fmt::format(", s = {}", with_commas(plan::share_count(spec)));
  if (spec.strategy == plan::Strategy::kHierarchical) {
    text += fmt::format(", H = {}, g = n/H = {}", with_commas(spec.hosts),
                        with_commas(spec.workers / spec.hosts));
  }
  return text + ", float32";
}

std::string verdict(const ExchangeReport& report) {
  if (report.tally) {
    const bool adds_up = plan::adds_up(report.spec.operation);
    return std::string(
               adds_up ? "verified: every contribution arrives exactly once and in the promised order,\n"
                       : "verified: everybody gets what it should, once, unchanged and from its owner,\n") +
           "nobody waits forever, nothing is overwritten too early and nothing is\n"
           "superfluous; the count equals the formula\n";
  }
  return fmt::format("by formula only: {} are too many\nto be made, counted and verified one by one\n",
                     counted(report.formula.messages, "message"));
}

std::string load_in_words(const plan::NodeTally& node) {
  return fmt::format("sends {}, receives {}", elements_in_words(node.sent_elements),
                     elements_in_words(node.received_elements));
}

std::string busiest_in_words(const ExchangeReport& report) {
  const std::vector<plan::NodeTally>& nodes = report.tally->nodes;
  const plan::NodeTally& busiest = nodes[idx(report.tally->busiest)];
  const bool all_alike = std::all_of(nodes.begin(), nodes.end(), [&](const plan::NodeTally& node) {
    return node.sent_elements == busiest.sent_elements && node.received_elements == busiest.received_elements;
  });
  if (all_alike) return "all alike: each " + load_in_words(busiest);
  return report.names.of(report.tally->busiest) + ": " + load_in_words(busiest);
}

std::string numbers(const ExchangeReport& report) {
  const plan::ClosedForm& form = report.formula;
  Table table("lll");
  table.row({"", "formula", letters_of_formulas(report)});
  table.row({"messages", std::string(form.messages_formula), with_commas(form.messages)});
  if (form.messages == 0) return table.text();
  table.row({"size of each", std::string(form.message_elements_formula),
             size_in_words(form.min_message_elements, form.max_message_elements)});
  table.row({"total", std::string(form.elements_formula), elements_in_words(form.elements)});
  table.row({"steps", std::string(form.steps_formula), with_commas(form.steps)});
  if (report.tally) table.row({"busiest node", "", busiest_in_words(report)});
  return table.text();
}

// The elements in the parts that the steps name: the first few and the last. Empty if the buffer stays whole
// or is not cut into chunks or shares.
std::string parts_in_words(const plan::PlanSpec& spec) {
  const bool has_shares = spec.strategy == plan::Strategy::kParameterServer;
  if (!has_shares && !plan::has_chunks(spec)) return {};
  const std::int32_t all = has_shares ? plan::share_count(spec) : spec.workers;
  const auto part = [&](std::int32_t k) {
    return has_shares ? plan::share(spec, k) : plan::chunk(k, spec.parameters, spec.workers);
  };
  std::vector<std::int32_t> filled;
  for (std::int32_t k = 0; k < all; ++k) {
    if (!part(k).empty()) filled.push_back(k);
  }
  if (filled.size() < 2) return {};
  const bool has_rows = spec.operation == plan::Operation::kAllToAll;
  std::string text = has_shares ? "shares: " : has_rows ? "chunks of a row: " : "chunks: ";
  for (std::size_t i = 0; i < filled.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == kMostParts && filled.size() > kMostParts + 1) {
      text += "…, ";
      i = filled.size() - 1;
    }
    std::string elements = plan::describe_elements(part(filled[i]));
    if (i > 0) elements.erase(0, elements.find(' ') + 1);
    text += fmt::format("{}: {}", filled[i], elements);
  }
  return text + '\n';
}

std::string steps(const ExchangeReport& report) {
  if (report.formula.messages == 0) return "Nothing is sent.\n";
  const bool whole = report.node.has_value();
  std::string how = fmt::format("see one node's steps with --node {}", report.names.of(0));
  if (report.formula.messages <= kMostMessagesToList) how += ", or all of them with --json";
  // Empty messages are left out, but steps keep their numbers.
  const std::int64_t last_step = report.events->empty() ? 0 : report.events->back().op->step;
  return plan::explain(report.spec, *report.events, report.names,
                       std::max(report.formula.steps, last_step + 1),
                       whole ? report.events->size() : kMostSentences, how);
}

// The workers for which a table has no row.
std::string more_workers(std::size_t rows) {
  return counted(static_cast<std::int64_t>(rows - kMostResults), "more worker");
}

// The workers that hold something there.
std::vector<Rank> holders(const plan::PlanSpec& spec, std::vector<plan::Slice> plan::Holdings::*when) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < spec.workers; ++rank) {
    const bool sums = spec.operation == plan::Operation::kSum;
    if (sums || !(plan::holdings(spec, rank).*when).empty()) ranks.push_back(rank);
  }
  return ranks;
}

std::span<const Rank> first_of(const std::vector<Rank>& ranks) {
  return std::span(ranks).first(std::min(ranks.size(), kMostResults));
}

std::string brought(const ExchangeReport& report) {
  Table table("ll");
  table.row({"", "brings"});
  const std::vector<Rank> ranks = holders(report.spec, &plan::Holdings::before);
  for (const Rank rank : first_of(ranks)) {
    table.row({report.names.of(rank), plan::numbers_in_words((*report.brought)[idx(rank)])});
  }
  std::string text = table.text();
  if (ranks.size() > kMostResults) text += fmt::format("… and {}\n", more_workers(ranks.size()));
  return text;
}

// Explains what the holders of shares send back, if it differs from what they would send in training.
std::string about_sums(const ExchangeReport& report) {
  if (report.spec.strategy != plan::Strategy::kParameterServer || report.update != nullptr) return {};
  return fmt::format(
      "Sums of gradients are shown in place of the updated weights that {} send{} back;\n"
      "--weights FILE and --rate show the update.\n\n",
      report.spec.servers == 0   ? "holders of shares"
      : report.spec.servers == 1 ? "the server"
                                 : "the servers",
      report.spec.servers == 1 ? "s" : "");
}

std::vector<std::string> result_row(const ExchangeReport& report, Rank rank) {
  const std::vector<double>& held = (*report.results)[idx(rank)];
  std::vector<std::string> row{report.names.of(rank), plan::numbers_in_words(held)};
  if (report.update != nullptr || !plan::adds_up(report.spec.operation)) return row;
  std::vector<double> averages = held;
  for (double& value : averages) value /= report.spec.workers;
  row.push_back(plan::numbers_in_words(averages));
  return row;
}

// The workers without a row, which hold the same where all get all.
std::string other_results(const plan::PlanSpec& spec, std::size_t rows) {
  const bool same = spec.operation == plan::Operation::kSum ||
                    spec.operation == plan::Operation::kBroadcast ||
                    spec.operation == plan::Operation::kAllGather;
  if (!same) return fmt::format("… and {}\n", more_workers(rows));
  return fmt::format("… and {}, which {} the same\n", more_workers(rows),
                     rows == kMostResults + 1 ? "holds" : "hold");
}

std::string results(const ExchangeReport& report) {
  Table table("lll");
  if (report.update != nullptr) {
    table.row({"", "weights"});
  } else if (plan::adds_up(report.spec.operation)) {
    table.row({"", "sum", "average"});
  } else {
    table.row({"", "gets"});
  }
  const std::vector<Rank> ranks = holders(report.spec, &plan::Holdings::after);
  for (const Rank rank : first_of(ranks)) table.row(result_row(report, rank));
  std::string text = table.text();
  if (ranks.size() > kMostResults) text += other_results(report.spec, ranks.size());
  return text;
}

std::string run_in_words(const ExchangeReport& report) {
  return fmt::format(
      "run for real on {}: {} counted on the wire, {} planned;\n"
      "every worker ends where the explanation ends, bit for bit (float64)\n",
      counted(report.spec.nodes(), "thread"), counted(report.run->messages, "message"),
      with_commas(report.formula.messages));
}

// The settings that all strategies share: servers and hosts, if a strategy has them.
std::string compared_in_words(const std::vector<ExchangeReport>& reports) {
  const plan::PlanSpec& any = reports.front().spec;
  std::string text =
      any.operation == plan::Operation::kSum ? "" : std::string(plan::name(any.operation)) + ": ";
  text +=
      fmt::format("{}, {} of float32", counted(any.workers, "worker"), counted(any.parameters, "parameter"));
  if (plan::has_root(any.operation)) text += ", root " + reports.front().names.of(any.root);
  for (const ExchangeReport& report : reports) {
    const plan::PlanSpec& spec = report.spec;
    if (spec.servers > 0) text += ", " + counted(spec.servers, "server");
    if (spec.shares_on_workers > 0)
      text += ", " + counted(spec.shares_on_workers, "share") + " on the workers";
    if (spec.strategy == plan::Strategy::kHierarchical) text += ", " + counted(spec.hosts, "host");
  }
  return text + '\n';
}

std::vector<std::string> compared(const ExchangeReport& report, std::int64_t most_elements) {
  const plan::ClosedForm& form = report.formula;
  std::string strategy(plan::name(report.spec.strategy));
  if (!report.too_large.empty()) return {std::move(strategy), "too large"};
  std::string size = with_commas(form.max_message_elements);
  if (form.min_message_elements < form.max_message_elements) {
    size = with_commas(form.min_message_elements) + "–" + size;
  }
  return {std::move(strategy),
          with_commas(form.messages),
          std::move(size),
          with_commas(form.elements),
          bytes_in_words(form.elements * kBytesPerElement, most_elements * kBytesPerElement),
          with_commas(form.steps),
          report.tally ? "verified" : "by formula"};
}

}  // namespace

std::string to_text(const ExchangeReport& report) {
  std::string text = summary(report) + verdict(report) + '\n' + numbers(report);
  if (report.formula.messages > 0) text += parts_in_words(report.spec);
  if (report.brought != nullptr) text += '\n' + brought(report);
  if (report.events != nullptr) {
    text += '\n';
    if (report.brought != nullptr) text += about_sums(report);
    text += steps(report);
  }
  if (report.results != nullptr) text += '\n' + results(report);
  if (report.run) text += '\n' + run_in_words(report);
  return text;
}

std::string compare_text(const std::vector<ExchangeReport>& reports) {
  Table table("lrrrrrl");
  table.row({"strategy", "messages", "size of each", "elements", "bytes", "steps", "checked"});
  std::int64_t most_elements = 0;
  for (const ExchangeReport& report : reports) {
    if (report.too_large.empty()) most_elements = std::max(most_elements, report.formula.elements);
  }
  for (const ExchangeReport& report : reports) table.row(compared(report, most_elements));
  return compared_in_words(reports) + '\n' + table.text();
}

}  // namespace trireme::report
