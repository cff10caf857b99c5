// A simulation, as text with a picture of its beginning, as JSON, and as a trace that browsers show.
#pragma once

#include <string>
#include <vector>

#include "plan/explain/node_names.h"
#include "report/exchange_report.h"
#include "sim/planner/simulation.h"

namespace trireme::report {

struct SimulationReport {
  const sim::Scenario& scenario;
  const sim::Simulation& simulation;
  plan::NodeNames names;
  std::vector<sim::SimSpan> beginning{};  ///< for the picture; as many rounds as it shows
};

[[nodiscard]] std::string to_text(const SimulationReport& report);
[[nodiscard]] Json to_json(const SimulationReport& report);

/// How long a node neither computes nor adds; if it does one thing at a time, also neither sends nor
/// receives.
[[nodiscard]] sim::Picoseconds waiting(const sim::Simulation& simulation, const sim::NodeTimes& node);

/// One line for each node and one column for each part of the time: C compute, s send, r receive, b both, +
/// aggregate, . wait.
[[nodiscard]] std::string gantt(const std::vector<sim::SimSpan>& spans, const plan::NodeNames& names,
                                std::size_t columns = 72);

/// One event of Chrome's trace format, in microseconds; one process for each node, one lane for each kind.
[[nodiscard]] std::string trace_event(const sim::SimSpan& span);
/// The text before the first event and after the last one.
[[nodiscard]] std::string trace_head(Rank nodes, const plan::NodeNames& names);
[[nodiscard]] std::string trace_tail();

}  // namespace trireme::report
