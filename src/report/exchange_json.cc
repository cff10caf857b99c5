// Exchange reports as JSON.
#include <cmath>

#include "plan/share.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "report/exchange_report.h"

namespace trireme::report {
namespace {

// Prints whole numbers without ".0": they are easier to read and stay exact.
Json number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::fabs(value) <= kExact) return static_cast<std::int64_t>(value);
  return value;
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json nodes(const ExchangeReport& report) {
  Json list = Json::array();
  for (Rank rank = 0; rank < report.spec.nodes(); ++rank) {
    const plan::NodeTally& tally = report.tally->nodes[idx(rank)];
    list.push_back({{"name", report.names.of(rank)},
                    {"role", report.spec.is_server(rank) ? "server" : "worker"},
                    {"sent_messages", tally.sent_messages},
                    {"sent_elements", tally.sent_elements},
                    {"received_messages", tally.received_messages},
                    {"received_elements", tally.received_elements}});
  }
  return list;
}

Json message(const ExchangeReport& report, const plan::Event& event) {
  Json op{{"id", event.op->id},
          {"step", event.op->step + 1},
          {"from", report.names.of(event.from)},
          {"to", report.names.of(event.to)},
          {"first", event.op->slice.first},
          {"count", event.op->slice.count},
          {"action", plan::name(event.op->action)}};
  if (!event.after.empty()) {
    op["values"] = numbers(event.sent);
    op["after"] = numbers(event.after);
  }
  return op;
}

Json fold(const ExchangeReport& report, const plan::Event& event) {
  Json op{{"id", event.op->id},
          {"step", event.op->step + 1},
          {"node", report.names.of(event.to)},
          {"first", event.op->slice.first},
          {"count", event.op->slice.count},
          {"action", plan::name(event.op->action)}};
  if (!event.sums.empty()) op["sums"] = numbers(event.sums);
  if (!event.after.empty()) op["after"] = numbers(event.after);
  return op;
}

void add_ops(Json& document, const ExchangeReport& report) {
  Json ops = Json::array();
  Json folds = Json::array();
  for (const plan::Event& event : *report.events) {
    if (event.is_fold()) {
      folds.push_back(fold(report, event));
    } else {
      ops.push_back(message(report, event));
    }
  }
  document["ops"] = std::move(ops);
  document["folds"] = std::move(folds);
}

void add_results(Json& document, const ExchangeReport& report) {
  const plan::Values& sums = *report.results;
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    const std::string name = report.names.of(static_cast<Rank>(rank));
    if (report.update != nullptr) {
      document["weights"][name] = numbers(sums[rank]);
      continue;
    }
    document["result"][name] = numbers(sums[rank]);
    if (!plan::adds_up(report.spec.operation)) continue;
    std::vector<double> averages = sums[rank];
    for (double& value : averages) value /= report.spec.workers;
    document["average"][name] = numbers(averages);
  }
}

Json head(const ExchangeReport& report) {
  const plan::PlanSpec& spec = report.spec;
  const plan::ClosedForm& form = report.formula;
  Json document{{"operation", plan::name(spec.operation)},
                {"strategy", plan::name(spec.strategy)},
                {"workers", spec.workers},
                {"servers", spec.servers},
                {"parameters", spec.parameters},
                {"element_bytes", kBytesPerElement}};
  if (report.mode != plan::Mode{}) {
    document["mode"] = to_string(report.mode);
    document["workers"] = report.workers;
  }
  if (spec.shares_on_workers > 0) document["shares_on_workers"] = spec.shares_on_workers;
  if (spec.strategy == plan::Strategy::kHierarchical) document["hosts"] = spec.hosts;
  if (plan::has_root(spec.operation)) document["root"] = report.names.of(spec.root);
  if (!spec.order.is_default()) {
    for (const Rank rank : spec.order.ranks()) document["order"].push_back(report.names.of(rank));
  }
  if (report.node) document["node"] = report.names.of(*report.node);
  if (!report.too_large.empty()) {
    document["error"] = report.too_large;
    return document;
  }
  document["messages"] = form.messages;
  document["message_elements"] = {{"min", form.min_message_elements}, {"max", form.max_message_elements}};
  document["elements_total"] = form.elements;
  document["bytes_total"] = form.elements * kBytesPerElement;
  document["steps"] = form.steps;
  document["formula"] = {{"messages", form.messages_formula},
                         {"message_elements", form.message_elements_formula},
                         {"elements_total", form.elements_formula},
                         {"steps", form.steps_formula}};
  if (report.tally) {
    document["verified"] = true;
    document["busiest"] = report.names.of(report.tally->busiest);
  } else {
    document["verified"] = nullptr;  // too large to be made in full, so it was not verified
  }
  return document;
}

}  // namespace

Json to_json(const ExchangeReport& report) {
  Json document = head(report);
  if (report.run) {
    document["run"] = {
        {"messages", report.run->messages}, {"seconds", report.run->seconds}, {"agrees", true}};
  }
  if (report.tally) document["nodes"] = nodes(report);
  if (report.events != nullptr) add_ops(document, report);
  if (report.update != nullptr) {
    document["update"] = {{"rate", report.update->rate}, {"weights", numbers(report.update->weights)}};
  }
  if (report.results != nullptr) add_results(document, report);
  return document;
}

Json compare_json(const std::vector<ExchangeReport>& reports) {
  Json list = Json::array();
  for (const ExchangeReport& report : reports) list.push_back(head(report));
  return {{"operation", plan::name(reports.front().spec.operation)},
          {"workers", reports.front().spec.workers},
          {"parameters", reports.front().spec.parameters},
          {"element_bytes", kBytesPerElement},
          {"strategies", std::move(list)}};
}

std::string document_text(const Json& document) {
  std::string text = "{\n";
  const char* separator = "";
  for (const auto& [key, value] : document.items()) {
    text += separator + Json(key).dump() + ": ";
    separator = ",\n";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += value.dump();
      continue;
    }
    text += "[\n";
    for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "  " : ",\n  ") + value[i].dump();
    text += "\n]";
  }
  return text + "\n}\n";
}

}  // namespace trireme::report
