#include "plan/strategies/strategies.h"
#include "report/forecast_report.h"
#include "report/json.h"
#include "sim/model/work.h"

namespace trireme::report {
namespace {

// If cards are shared, it is unknown who waits for whom: then all of the messages' time counts as waiting.
Json split_of(const sim::Forecast& forecast) {
  const sim::RoundTime& round = forecast.round;
  const sim::Picoseconds sending = forecast.sending.value_or(0);
  return {{"receive_s", sim::in_seconds(round.receive)},
          {"compute_s", sim::in_seconds(round.compute)},
          {"send_s", sim::in_seconds(round.send + sending)},
          {"wait_s", sim::in_seconds(round.messages - sending)},
          {"aggregate_s", sim::in_seconds(round.aggregate)},
          {"update_s", sim::in_seconds(round.update)},
          {"hidden_s", sim::in_seconds(round.hidden)}};
}

Json work_json(const sim::Scenario::Job& job) {
  const sim::Work work = sim::work_of(job);
  if (!job.federated) {
    return {{"batches_per_epoch", or_null(work.batches_per_epoch)},
            {"batches", or_null(work.batches)},
            {"samples_per_round", or_null(work.samples_per_round)}};
  }
  if (!work.device) return nullptr;
  return {{"samples_per_device", work.device->samples},
          {"samples_seen_per_device_and_round", work.device->samples_seen},
          {"batches_per_device_and_round", work.device->batches}};
}

const char* axis_name(sim::Axis axis) {
  switch (axis) {
    case sim::Axis::kWorkers:
      return "workers";
    case sim::Axis::kParameters:
      return "parameters";
    case sim::Axis::kLatency:
      return "latency_s";
    case sim::Axis::kBandwidth:
      return "bandwidth_bytes_per_s";
  }
  return "";
}

// The global batch with the number of workers that finishes soonest.
std::optional<std::int64_t> samples_of_soonest(const ForecastReport& report) {
  if (!report.worth) return std::nullopt;
  return sim::work_of(sim::with_workers(report.scenario, report.worth->soonest).job).samples_per_round;
}

Json turns_of(const std::vector<sim::Turn>& turns) {
  Json all = Json::array();
  for (const sim::Turn& turn : turns) {
    all.push_back({{"axis", axis_name(turn.axis)},
                   {"from", turn.value},
                   {"above", turn.above},
                   {"fastest", plan::name(turn.then)}});
  }
  return all;
}

Json crossovers_of(const std::vector<sim::Crossover>& crossovers) {
  Json all = Json::array();
  for (const sim::Crossover& one : crossovers) {
    all.push_back({{"strategy", plan::name(one.other)},
                   {"overtakes", one.overtakes},
                   {"axis", axis_name(one.axis)},
                   {"from", one.value},
                   {"above", one.above}});
  }
  return all;
}

Json ranking_of(const std::vector<sim::Ranked>& ranking) {
  Json all = Json::array();
  for (const sim::Ranked& one : ranking) {
    all.push_back({{"strategy", plan::name(one.strategy)},
                   {"total_s", one.total_s},
                   {"round_s", sim::in_seconds(one.round)},
                   {"exact", one.exact}});
  }
  return all;
}

}  // namespace

Json to_json(const ForecastReport& report) {
  const sim::Forecast& forecast = report.forecast;
  Json json;
  json["workers"] = report.scenario.job.workers;
  json["strategy"] = report.scenario.job.federated ? "federated" : plan::name(report.scenario.job.strategy);
  json["rounds_full"] = forecast.rounds.full;
  json["rounds_partial"] = forecast.rounds.partial;
  json["round_s"] = sim::in_seconds(forecast.round.all());
  json["first_round_s"] = sim::in_seconds(forecast.round.all() + forecast.round.first_more);
  json["last_round_s"] = sim::in_seconds(forecast.last_round.value_or(forecast.round).all());
  json["total_s"] = forecast.total_s;
  json["exact"] = forecast.exact;
  json["speedup"] = or_null(forecast.speedup.factor);
  json["efficiency"] = or_null(forecast.speedup.efficiency);
  json["samples_per_s"] = or_null(forecast.speedup.samples_per_s);
  json["one_worker_s"] = or_null(forecast.speedup.one_worker_s);
  json["slower_than_one_worker"] = report.slower_than_one;
  json["work"] = work_json(report.scenario.job);
  json["round"] = split_of(forecast);
  json["communication_exceeds_computation_at_workers"] = or_null(forecast.communication_exceeds_at);
  json["messages"] = or_null(forecast.messages);
  json["bytes"] = or_null(forecast.bytes);
  json["ranking"] = ranking_of(forecast.ranking);
  json["searched"] = report.is_searched;
  json["turns"] = turns_of(report.turns);
  json["crossovers"] = crossovers_of(report.crossovers);
  json["workers_looked_at"] = report.worth ? Json(report.worth->most) : Json(nullptr);
  json["workers_soonest"] = report.worth ? Json(report.worth->soonest) : Json(nullptr);
  json["workers_soonest_speedup"] = report.worth ? Json(report.worth->speedup) : Json(nullptr);
  json["workers_soonest_samples_per_round"] = or_null(samples_of_soonest(report));
  json["workers_within_5_percent"] = report.worth ? Json(report.worth->enough) : Json(nullptr);
  json["without_effect"] = report.without_effect;
  return json;
}

}  // namespace trireme::report
