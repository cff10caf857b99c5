#include "trainer/free_phases.h"

#include <algorithm>

#include "server/report.h"

namespace trireme::trainer {

std::int64_t FreePhases::run(std::int64_t done, std::int64_t steps, const Watch& watch) {
  const std::int64_t workers = config_.exchange.workers;
  const std::int64_t every = config_.run.out.empty() ? 0 : config_.run.checkpoint_every.steps;
  const std::int64_t end = every > 0 ? std::min(steps, (done / every + 1) * every) : steps;
  rounds_.plan_phase(
      {.first = done * workers, .gradients = (end - done) * workers, .records = !config_.run.out.empty()});
  rounds_.begin_phase(config_.optimizer);
  for (;;) {
    const std::int64_t gradient = rounds_.free()->next();
    if (gradient == server::AnswerNote::kNone) break;
    saver_.begin_step();
    watch(gradient, false);
    trainer_.take_gradient(gradient);
    watch(gradient, true);
  }
  return done + rounds_.end_phase();
}

train::FreeSummary FreePhases::conclude(std::string& writes) {
  train::FreeSummary summary;
  summary.mode = to_string(config_.exchange.mode);
  const std::vector<std::string> reports = rounds_.share_reports();
  const std::size_t first =
      static_cast<std::size_t>(config_.exchange.workers + rounds_.free()->placement().dispenser);
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].empty()) continue;
    const server::Report report = server::read_report(reports[rank]);
    for (const auto& [staleness, gradients] : report.staleness.histogram) {
      summary.staleness[staleness] += gradients;
    }
    summary.duplicates += report.duplicates;
    writes += report.writes;
    if (rank != first) continue;
    summary.updates = report.staleness.updates();
    summary.dropped = report.dropped;
  }
  return summary;
}

}  // namespace trireme::trainer
