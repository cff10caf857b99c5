#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "plan/explain/node_names.h"
#include "report/simulation_report.h"

namespace trireme::report {
namespace {

const char* name(sim::SimSpan::Kind kind) {
  switch (kind) {
    case sim::SimSpan::Kind::kCompute:
      return "compute";
    case sim::SimSpan::Kind::kSend:
      return "send";
    case sim::SimSpan::Kind::kReceive:
      return "receive";
    case sim::SimSpan::Kind::kAdd:
      return "reduce";
  }
  return "";
}

constexpr std::size_t kMostUpdatesInJson = 100'000;  // in the list: a reader must hold it in memory

// Exact: picoseconds are millionths of a microsecond.
std::string microseconds(sim::Picoseconds time) {
  return fmt::format("{}.{:06d}", time / sim::kMicrosecond, time % sim::kMicrosecond);
}

}  // namespace

Json to_json(const SimulationReport& report) {
  const sim::Simulation& simulation = report.simulation;
  Json json;
  json["total_s"] = simulation.total_s;
  json["rounds"] = simulation.rounds;
  json["messages"] = or_null(simulation.messages);
  json["bytes"] = or_null(simulation.bytes);
  json["simulated_rounds"] = simulation.simulated_rounds;
  Json nodes = Json::array();
  for (const sim::NodeTimes& node : simulation.nodes) {
    nodes.push_back({{"computing_s", sim::in_seconds(node.computing)},
                     {"adding_s", sim::in_seconds(node.adding)},
                     {"sending_s", sim::in_seconds(node.sending)},
                     {"receiving_s", sim::in_seconds(node.receiving)},
                     {"waiting_s", sim::in_seconds(waiting(simulation, node))},
                     {"end_s", sim::in_seconds(node.end)}});
  }
  json["nodes"] = std::move(nodes);
  if (!simulation.free) return json;
  json["shares"] = report.scenario.server.count;
  json["staleness"] = simulation.free->staleness;
  json["dropped"] = simulation.free->dropped;
  json["bound_eta_delta"] = or_null(simulation.bound_eta_delta);
  json["sequential_updates"] =
      simulation.bound_eta_delta ? Json(simulation.sequential_updates) : Json(nullptr);
  Json updates = Json::array();
  const std::vector<sim::SimUpdate>& all = simulation.free->updates;
  for (const sim::SimUpdate& update : std::span(all).first(std::min(all.size(), kMostUpdatesInJson))) {
    updates.push_back({{"worker", update.worker},
                       {"start_s", sim::in_seconds(update.start)},
                       {"end_s", sim::in_seconds(update.end)},
                       {"read_version", update.read_version},
                       {"staleness", update.staleness}});
  }
  const bool sums_up = report.scenario.job.mode.kind == sim::Mode::Kind::kBackup;
  json[sums_up ? "gradients_in_all" : "updates_in_all"] = all.size();
  json[sums_up ? "gradients" : "updates"] = std::move(updates);
  return json;
}

std::string trace_head(Rank nodes, const plan::NodeNames& names) {
  std::string text =
      fmt::format("{{\"displayTimeUnit\":\"ns\",\"distributedInfo\":{{\"world_size\":{}}},\n", nodes);
  text += "\"traceEvents\":[\n";
  for (Rank node = 0; node < nodes; ++node) {
    text +=
        fmt::format("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"{}\"}}}},\n",
                    node, names.of(node));
    for (int lane = 0; lane < 4; ++lane) {
      text += fmt::format(
          "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}},\n",
          node, lane, name(static_cast<sim::SimSpan::Kind>(lane)));
    }
  }
  return text;
}

std::string trace_event(const sim::SimSpan& span) {
  return fmt::format(
      "{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{\"op\":{},"
      "\"exchange\":{},"
      "\"peer\":{},\"bytes\":{}}}}},\n",
      name(span.kind), span.node, static_cast<int>(span.kind), microseconds(span.start),
      microseconds(span.end - span.start), span.op, span.exchange, span.peer, span.bytes);
}

// The last event has no content; it avoids a comma before the end, which JSON does not allow.
std::string trace_tail() { return "{\"ph\":\"M\",\"name\":\"end\",\"pid\":0}]}\n"; }

}  // namespace trireme::report
