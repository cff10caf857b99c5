// Exchange reports for people.
#include <fmt/format.h>

#include "base/text.h"
#include "plan/explain.h"
#include "plan/share.h"
#include "report/exchange_report.h"
#include "report/table.h"

namespace trireme {
namespace {

constexpr std::size_t kMostSentences = 40;
constexpr std::size_t kMostResults = 20;

std::string elements_in_words(std::int64_t elements) {
  return fmt::format("{} ({})", counted(elements, "element"), bytes_in_words(elements * kBytesPerElement));
}

std::string size_in_words(std::int64_t min, std::int64_t max) {
  if (min == max) return elements_in_words(min);
  return fmt::format("{} to {} ({} to {})", with_commas(min), counted(max, "element"),
                     bytes_in_words(min * kBytesPerElement), bytes_in_words(max * kBytesPerElement));
}

std::string ring_in_words(const PlanSpec& spec, const NodeNames& names) {
  std::string text;
  for (const Rank rank : spec.order.ranks()) text += names.of(rank) + " → ";
  return text + names.of(spec.order.rank_at(0));
}

std::string summary(const ExchangeReport& report) {
  const PlanSpec& spec = report.spec;
  std::string text = fmt::format("{}: {}", name(spec.strategy), counted(spec.workers, "worker"));
  if (spec.servers > 0) text += ", " + counted(spec.servers, "server");
  if (spec.shares_on_workers > 0) text += ", " + counted(spec.shares_on_workers, "share") + " on the workers";
  if (spec.strategy == Strategy::kHierarchical) text += " on " + counted(spec.hosts, "host");
  text += ", " + counted(spec.parameters, "parameter");
  if (!spec.order.is_default()) text += ", ring order " + ring_in_words(spec, report.names);
  return text + '\n';
}

std::string letters_of_formulas(const PlanSpec& spec) {
  std::string text = fmt::format("n = {}, p = {}", with_commas(spec.workers), with_commas(spec.parameters));
  if (share_count(spec) > 1) text += fmt::format(", s = {}", with_commas(share_count(spec)));
  if (spec.strategy == Strategy::kHierarchical) {
    text += fmt::format(", H = {}, g = n/H = {}", with_commas(spec.hosts),
                        with_commas(spec.workers / spec.hosts));
  }
  return text;
}

std::string verdict(const ExchangeReport& report) {
  if (report.tally) {
    return "verified: every contribution arrives exactly once and in the promised order, nobody waits for "
           "ever,\n"
           "nothing is overwritten too early and nothing is superfluous; the count equals the formula\n";
  }
  return fmt::format("by formula only: {} are too many to be made, counted and verified one by one\n",
                     counted(report.formula.messages, "message"));
}

std::string numbers(const ExchangeReport& report) {
  const ClosedForm& form = report.formula;
  Table table("lll");
  table.row({"", "formula", letters_of_formulas(report.spec)});
  table.row({"messages", std::string(form.messages_formula), with_commas(form.messages)});
  table.row({"size of each", std::string(form.message_elements_formula),
             size_in_words(form.min_message_elements, form.max_message_elements)});
  table.row({"in all", std::string(form.elements_formula), elements_in_words(form.elements)});
  table.row({"steps", std::string(form.steps_formula), with_commas(form.steps)});
  if (report.tally && report.tally->messages > 0) {
    const NodeTally& busiest = report.tally->nodes[idx(report.tally->busiest)];
    table.row({"busiest node", report.names.of(report.tally->busiest),
               fmt::format("sends {}, receives {}", elements_in_words(busiest.sent_elements),
                           elements_in_words(busiest.received_elements))});
  }
  return table.text();
}

std::string steps(const ExchangeReport& report) {
  if (report.formula.messages == 0) return "Nothing is sent.\n";
  const bool whole = report.node.has_value();
  return explain(
      report.spec, *report.events, report.names, whole ? report.events->size() : kMostSentences,
      fmt::format("see one node's with --node {}, or all of them with --json", report.names.of(0)));
}

std::string results(const ExchangeReport& report) {
  Table table("lll");
  table.row({"", "sum", "average"});
  const Values& sums = *report.results;
  for (std::size_t rank = 0; rank < sums.size() && rank < kMostResults; ++rank) {
    std::vector<double> averages = sums[rank];
    for (double& value : averages) value /= report.spec.workers;
    table.row(
        {report.names.of(static_cast<Rank>(rank)), numbers_in_words(sums[rank]), numbers_in_words(averages)});
  }
  std::string text = table.text();
  if (sums.size() > kMostResults) {
    text += fmt::format("… {} more workers, who hold the same; see --json\n", sums.size() - kMostResults);
  }
  return text;
}

std::string run_in_words(const ExchangeReport& report) {
  return fmt::format(
      "run for real on {}: {} counted on the wire, {} planned; every worker ends where the explanation "
      "ends,\n"
      "bit for bit (float64)\n",
      counted(report.spec.nodes(), "thread"), counted(report.run->messages, "message"),
      with_commas(report.formula.messages));
}

}  // namespace

std::string to_text(const ExchangeReport& report) {
  std::string text = summary(report) + verdict(report) + '\n' + numbers(report);
  if (report.events != nullptr) text += '\n' + steps(report);
  if (report.results != nullptr) text += '\n' + results(report);
  if (report.run) text += '\n' + run_in_words(report);
  return text;
}

std::string compare_text(const std::vector<ExchangeReport>& reports) {
  Table table("lrrrrr");
  table.row({"strategy", "messages", "size of each", "elements in all", "bytes in all", "steps"});
  for (const ExchangeReport& report : reports) {
    const ClosedForm& form = report.formula;
    const std::string size =
        form.min_message_elements == form.max_message_elements
            ? with_commas(form.max_message_elements)
            : with_commas(form.min_message_elements) + "–" + with_commas(form.max_message_elements);
    table.row({std::string(name(report.spec.strategy)), with_commas(form.messages), size,
               with_commas(form.elements), bytes_in_words(form.elements * kBytesPerElement),
               with_commas(form.steps)});
  }
  return table.text();
}

}  // namespace trireme
