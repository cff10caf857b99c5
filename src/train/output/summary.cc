#include "train/output/summary.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "report/table.h"

namespace trireme::train {
namespace {

std::string traffic(std::int64_t messages, std::int64_t bytes) {
  return fmt::format("{}, {}", counted(messages, "message"), bytes_in_words(bytes));
}

std::string traffic_line(const TrainSummary& summary) {
  const std::string planned = traffic(summary.messages_planned, summary.bytes_planned);
  if (summary.as_planned()) return fmt::format("sent: {}, as planned\n", planned);
  return fmt::format("sent: {}; planned: {}\n", traffic(summary.messages, summary.bytes), planned);
}

std::string time_table(const TimeSplit& time) {
  report::Table table("lrr");
  table.row({"time of a worker", "seconds", "share"});
  const std::pair<const char*, double> rows[] = {{"compute", time.compute},
                                                 {"exchange, not hidden", time.exchange_exposed},
                                                 {"data", time.data},
                                                 {"update", time.update},
                                                 {"evaluation", time.evaluation},
                                                 {"saving", time.saving}};
  for (const auto& [what, seconds] : rows) {
    if (&what == &rows[5].first && seconds == 0) continue;  // most trainings are not saved in between
    const double share = time.all() > 0 ? seconds / time.all() : 0;
    table.row({what, fmt::format("{:.2f}", seconds), fmt::format("{:.1f} %", share * 100)});
  }
  return table.text();
}

// The last line: how to get at what was learnt.
std::string kept(const TrainSummary& summary) {
  const std::string weights =
      summary.weights.empty() ? "" : fmt::format("weights: {}", printable(summary.weights));
  if (summary.checkpoint.empty()) {
    return !weights.empty()
               ? weights
               : "the weights are gone: --out RUNDIR keeps checkpoints, --save FILE.safetensors the "
                 "weights alone";
  }
  return fmt::format("{}{}checkpoint: {}", weights, weights.empty() ? "" : "; ",
                     printable(summary.checkpoint));
}

// The histogram: at place k the gradients that were k updates old, as in the simulator.
void add_free(const FreeSummary& free, report::Json& json) {
  std::vector<std::int64_t> histogram(static_cast<std::size_t>(free.most_staleness() + 1));
  for (const auto& [staleness, gradients] : free.staleness) {
    histogram[static_cast<std::size_t>(staleness)] = gradients;
  }
  json["mode"] = free.mode;
  json["updates"] = free.updates;
  json["dropped"] = free.dropped;
  json["duplicates"] = free.duplicates;
  json["staleness"] = {
      {"mean", free.mean_staleness()}, {"max", free.most_staleness()}, {"histogram", histogram}};
}

std::string free_line(const std::optional<FreeSummary>& free) {
  if (!free) return "";
  std::string line = fmt::format("mode {}: {} applied", free->mode, counted(free->updates, "gradient"));
  if (free->dropped > 0) line += fmt::format(", {} dropped", with_commas(free->dropped));
  return line + fmt::format("; staleness {:.2f} on average, at most {}\n", free->mean_staleness(),
                            with_commas(free->most_staleness()));
}

report::Json path_or_null(const std::string& path) {
  return path.empty() ? report::Json(nullptr) : report::Json(path);
}

}  // namespace

std::string accuracy_in_words(const std::optional<double>& accuracy) {
  return accuracy ? fmt::format("{:.2f} %", *accuracy * 100) : "-";
}

report::Json accuracy_in_json(const std::optional<double>& accuracy) {
  return accuracy ? report::Json(*accuracy) : report::Json(nullptr);
}

double FreeSummary::mean_staleness() const {
  double sum = 0;
  double count = 0;
  for (const auto& [updates, gradients] : staleness) {
    sum += static_cast<double>(updates) * static_cast<double>(gradients);
    count += static_cast<double>(gradients);
  }
  return count > 0 ? sum / count : 0;
}

report::Json to_json(const TrainSummary& summary) {
  report::Json json = {{"interrupted", false},
                       {"workers", summary.workers},
                       {"servers", summary.servers},
                       {"strategy", summary.strategy},
                       {"wire", summary.wire},
                       {"steps", summary.steps},
                       {"samples_per_s", summary.samples_per_s},
                       {"seconds", summary.seconds},
                       {"start_s", summary.start_s},
                       {"loss", summary.loss},
                       {"test_loss", summary.test_loss},
                       {"test_accuracy", accuracy_in_json(summary.test_accuracy)},
                       {"messages", summary.messages},
                       {"messages_planned", summary.messages_planned},
                       {"bytes", summary.bytes},
                       {"bytes_planned", summary.bytes_planned},
                       {"other", {{"messages", summary.other_messages}, {"bytes", summary.other_bytes}}},
                       {"time",
                        {{"compute_s", summary.time.compute},
                         {"exchange_exposed_s", summary.time.exchange_exposed},
                         {"data_s", summary.time.data},
                         {"update_s", summary.time.update},
                         {"evaluation_s", summary.time.evaluation},
                         {"saving_s", summary.time.saving}}},
                       {"weights_sha256", summary.weights_sha256},
                       {"checkpoint", path_or_null(summary.checkpoint)}};
  if (!summary.placement.empty()) json["placement"] = to_json(summary.placement);
  if (summary.free) add_free(*summary.free, json);
  return json;
}

report::Json interrupted_json(const TrainConfig& config, const Reached& reached,
                              const std::string& checkpoint) {
  report::Json json = {{"interrupted", true},
                       {"workers", config.exchange.workers},
                       {"servers", config.exchange.servers},
                       {"steps", reached.steps},
                       {"steps_planned", reached.planned},
                       {"samples_per_s", reached.samples_per_s},
                       {"seconds", reached.seconds},
                       {"loss", reached.loss},
                       {"checkpoint", path_or_null(checkpoint)}};
  if (reached.steps > 0) return json;
  for (const char* unknown : {"steps_planned", "samples_per_s", "seconds", "loss"}) json[unknown] = nullptr;
  return json;
}

std::string to_text(const TrainSummary& summary) {
  return fmt::format(
      "test accuracy {}, test loss {:.4f}; training loss {:.4f} after {}\n"
      "{} samples/s with {}{}; {:.1f} s in all\n"
      "{}\n"
      "{}"
      "{}\n",
      accuracy_in_words(summary.test_accuracy), summary.test_loss, summary.loss,
      counted(summary.steps, "step"), with_commas(static_cast<std::int64_t>(summary.samples_per_s)),
      counted(summary.workers, "worker"),
      summary.steps > Throughput::kWarmUpSteps ? " after the first 10 steps" : "", summary.seconds,
      free_line(summary.free) + traffic_line(summary), time_table(summary.time), kept(summary));
}

}  // namespace trireme::train
