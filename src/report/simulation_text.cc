#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.h"
#include "plan/explain/node_names.h"
#include "report/async_sums.h"
#include "report/forecast_report.h"
#include "report/simulation_report.h"
#include "report/table.h"

namespace trireme::report {
namespace {

constexpr std::size_t kMostLines = 16;    // in the picture
constexpr std::size_t kMostUpdates = 20;  // in the list

using Kind = sim::SimSpan::Kind;

// The letter of a column: the activity with the highest priority in it.
char stronger(char now, Kind kind) {
  const bool sends = now == 's' || now == 'b';
  const bool receives = now == 'r' || now == 'b';
  switch (kind) {
    case Kind::kCompute:
      return 'C';
    case Kind::kAdd:
      return now == 'C' ? now : '+';
    case Kind::kSend:
      return now == 'C' || now == '+' ? now : receives ? 'b' : 's';
    case Kind::kReceive:
      return now == 'C' || now == '+' ? now : sends ? 'b' : 'r';
  }
  return now;
}

double mean_of(const std::vector<std::int64_t>& staleness) {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (std::size_t k = 0; k < staleness.size(); ++k) {
    sum += static_cast<std::int64_t>(k) * staleness[k];
    count += staleness[k];
  }
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

// With backup workers a round makes one update of many gradients; otherwise each gradient is one update.
std::string noun_of(const sim::Scenario& scenario) {
  return scenario.job.mode.kind == sim::Mode::Kind::kBackup ? "gradient" : "update";
}

std::string updates_text(const SimulationReport& report) {
  const sim::FreeResult& run = *report.simulation.free;
  Table table("rlrrrr");
  table.row({noun_of(report.scenario), "worker", "start", "applied", "read", "staleness"});
  for (std::size_t i = 0; i < std::min(run.updates.size(), kMostUpdates); ++i) {
    const sim::SimUpdate& update = run.updates[i];
    table.row({std::to_string(i + 1), report.names.of(update.worker), time_in(kSeconds, update.start),
               time_in(kSeconds, update.end), std::to_string(update.read_version),
               std::to_string(update.staleness)});
  }
  std::string text = "\n" + table.text();
  if (const std::int32_t shares = report.scenario.server.count; shares > 1) {
    text += fmt::format("on the first of {} shares\n", shares);
  }
  if (run.updates.size() > kMostUpdates) {
    text += fmt::format("… and {} more; --json has the first 100,000\n",
                        with_commas(static_cast<std::int64_t>(run.updates.size() - kMostUpdates)));
  }
  return text;
}

// If there are many numbers, prints several in a line.
std::string histogram(const SimulationReport& report) {
  const std::vector<std::int64_t>& staleness = report.simulation.free->staleness;
  constexpr double kBar = 40;
  const std::size_t width = (staleness.size() + kMostLines - 1) / kMostLines;
  std::vector<std::int64_t> lines;
  for (std::size_t k = 0; k < staleness.size(); ++k) {
    if (k % width == 0) lines.push_back(0);
    lines.back() += staleness[k];
  }
  const std::int64_t most = lines.empty() ? 0 : *std::max_element(lines.begin(), lines.end());
  Table table("rrl");
  const std::string nouns = noun_of(report.scenario) + "s";
  table.row({"staleness", report.scenario.server.count > 1 ? "shares of " + nouns : nouns, ""});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double part = most == 0 ? 0 : static_cast<double>(lines[i]) / static_cast<double>(most);
    const std::size_t first = i * width;
    const std::size_t last = std::min(first + width, staleness.size()) - 1;
    table.row({first == last ? std::to_string(first) : fmt::format("{} to {}", first, last),
               with_commas(lines[i]), std::string(static_cast<std::size_t>(part * kBar), '#')});
  }
  return "\n" + table.text();
}

std::string nodes_text(const SimulationReport& report) {
  const std::vector<sim::NodeTimes>& nodes = report.simulation.nodes;
  const bool one_for_all = nodes.size() == 1 && report.scenario.job.workers > 1;
  Table table("lrrrrrr");
  table.row({"node", "compute", "aggregate", "send", "receive", "wait", "busy"});
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostLines); ++i) {
    const sim::NodeTimes& node = nodes[i];
    const sim::Picoseconds busy = node.end - waiting(report.simulation, node);
    const double part = node.end == 0 ? 0 : static_cast<double>(busy) / static_cast<double>(node.end);
    table.row({one_for_all ? "each" : report.names.of(static_cast<Rank>(i)),
               time_in(kSeconds, node.computing), time_in(kSeconds, node.adding),
               time_in(kSeconds, node.sending), time_in(kSeconds, node.receiving),
               time_in(kSeconds, waiting(report.simulation, node)), fmt::format("{:.1f} %", 100 * part)});
  }
  std::string text = "\n" + table.text();
  if (nodes.size() > kMostLines) {
    text += fmt::format("… and {} more; --json has all\n",
                        with_commas(static_cast<std::int64_t>(nodes.size() - kMostLines)));
  }
  return text;
}

}  // namespace

sim::Picoseconds waiting(const sim::Simulation& simulation, const sim::NodeTimes& node) {
  const sim::Picoseconds messages = simulation.one_at_a_time ? node.sending + node.receiving : 0;
  // Additions during backward are counted in both times, so the difference may be negative.
  return std::max<sim::Picoseconds>(0, node.end - node.computing - node.adding - messages);
}

std::string gantt(const std::vector<sim::SimSpan>& spans, const plan::NodeNames& names, std::size_t columns) {
  sim::Picoseconds end = 0;
  for (const sim::SimSpan& span : spans) end = std::max(end, span.end);
  if (end == 0) return "";
  std::map<Rank, std::string> lines;
  for (const sim::SimSpan& span : spans) {
    std::string& line = lines.try_emplace(span.node, columns, '.').first->second;
    const auto column = [&](sim::Picoseconds time) {
      return static_cast<std::size_t>(static_cast<double>(time) / static_cast<double>(end) *
                                      static_cast<double>(columns));
    };
    const std::size_t last = std::min(std::max(column(span.end), column(span.start) + 1), columns);
    for (std::size_t i = column(span.start); i < last; ++i) line[i] = stronger(line[i], span.kind);
  }
  Table table("ll");
  for (const auto& [node, line] : lines) {
    if (static_cast<std::size_t>(node) < kMostLines) table.row({names.of(node), line});
  }
  return table.text() + fmt::format("0 to {}; C compute, s send, r receive, b both, + aggregate, . wait\n",
                                    seconds_in_words(sim::in_seconds(end)));
}

std::string to_text(const SimulationReport& report) {
  const sim::Simulation& simulation = report.simulation;
  std::string text = seconds_in_words(simulation.total_s) + " in all";
  if (simulation.rounds > 0) text += fmt::format(", {}", counted(simulation.rounds, "round"));
  text += "\n";
  if (simulation.messages) {
    text += counted(*simulation.messages, "message");
    text += simulation.bytes ? fmt::format(", {}\n", bytes_in_words(*simulation.bytes)) : "\n";
  }
  if (simulation.free) {
    const sim::FreeResult& run = *simulation.free;
    text += fmt::format("{}, mean staleness {:.4g}",
                        counted(std::ssize(run.updates), noun_of(report.scenario)), mean_of(run.staleness));
    const std::int32_t shares = report.scenario.server.count;
    text += shares > 1 ? fmt::format(" over the {} shares of each\n", shares) : "\n";
    if (run.dropped > 0) {
      text += fmt::format("{} came too late for their round, or were given up\n",
                          counted(run.dropped, "gradient"));
    }
  }
  if (simulation.bound_eta_delta) {
    text += bound_words(simulation.free->updates, simulation.sequential_updates, *simulation.bound_eta_delta);
  }
  text += nodes_text(report);
  if (simulation.free) text += updates_text(report) + histogram(report);
  if (!report.beginning.empty()) {
    const auto last =
        std::max_element(report.beginning.begin(), report.beginning.end(),
                         [](const sim::SimSpan& a, const sim::SimSpan& b) { return a.end < b.end; });
    const bool is_all = sim::in_seconds(last->end) >= 0.999 * simulation.total_s;
    text += (is_all ? "\n" : "\nthe beginning\n") + gantt(report.beginning, report.names);
  }
  return text;
}

}  // namespace trireme::report
