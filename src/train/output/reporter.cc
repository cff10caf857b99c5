#include "train/output/reporter.h"

#include <fmt/format.h>

#include <csignal>

#include "base/system/output.h"
#include "base/text.h"
#include "schedule/schedule.h"
#include "train/start.h"

namespace trireme::train {
Reporter::Reporter(const TrainJob& job) : json_(job.json) {
  if (!job.config.run.out.empty())
    folder_.emplace(job.config.run.out, job.config_text, step_to_go_on_from(job));
  if (!job.terminal) return;
  // A node runs in the background of the launcher's terminal, which may stop whoever writes from there.
  std::signal(SIGTTOU, SIG_IGN);
  status_ = StatusLine::on_terminal(*job.terminal);
}

void Reporter::tell(const std::string& line) {
  if (status_) status_->clear();
  say_of_train(line);
}

void Reporter::introduce(const Introduction& introduction) {
  for (const std::string& line : lines_of(introduction)) tell(line);
}

void Reporter::step(const Progress& progress, bool logged, std::int64_t epoch, double rate) {
  if (status_) {
    status_->show(in_words(progress));
  } else if (logged) {
    tell(in_words(progress));
  }
  if (!logged) return;
  report::Json line = {{"step", progress.step},
                       {"epoch", epoch},
                       {"seconds", progress.seconds},
                       {"loss", progress.loss},
                       {"rate", rate},
                       {"samples_per_s", progress.samples_per_s},
                       {"mean_samples_per_s", progress.mean_samples_per_s}};
  if (progress.updates) {
    line["updates"] = *progress.updates;
    line["staleness"] = {{"mean", progress.staleness}, {"max", progress.most_staleness}};
  }
  add_metrics(line);
}

void Reporter::evaluated(std::int64_t step, std::int64_t epoch, bool ends_epoch,
                         const Evaluation& evaluation) {
  const std::string when = ends_epoch ? fmt::format("epoch {}", epoch)
                                      : fmt::format("step {}, in epoch {}", with_commas(step), epoch);
  tell(fmt::format("{}: test accuracy {}, test loss {:.4f}", when, accuracy_in_words(evaluation.accuracy),
                   evaluation.loss));
  add_metrics({{"step", step},
               {"epoch", epoch},
               {"test_accuracy", accuracy_in_json(evaluation.accuracy)},
               {"test_loss", evaluation.loss}});
}

void Reporter::saved(std::int64_t step, std::uint64_t bytes, double seconds, double waited) {
  add_metrics({{"step", step}, {"checkpoint_bytes", bytes}, {"checkpoint_s", seconds}, {"waited_s", waited}});
}

// The disk may be full, perhaps of a checkpoint that is under way: no reason to end hours of training, but
// one to say so in the end.
void Reporter::add_lines(const std::function<void(RunFolder&)>& add) {
  if (!folder_) return;
  try {
    add(*folder_);
  } catch (const Error& error) {
    if (lost_lines_) return;
    lost_lines_ = error;
    tell(error.failure().what + "; the run goes on without these lines");
  }
}

void Reporter::add_metrics(const report::Json& line) {
  add_lines([&](RunFolder& folder) { folder.add_metrics(line); });
}

void Reporter::add_schedule(const TrainConfig& config, const std::string& writes) {
  schedule::Schedule first;
  first.mode = to_string(config.exchange.mode);
  first.workers = config.exchange.workers;
  first.servers = config.exchange.servers;
  first.staleness_rate = config.exchange.staleness_rate;
  add_lines(
      [&](RunFolder& folder) { folder.add_schedule(schedule::first_line(first), writes, first.workers); });
}

void Reporter::finish(const TrainSummary& summary) {
  if (status_) status_->clear();
  const report::Json json = to_json(summary);
  if (folder_) folder_->finish(json);
  write_output(json_ ? report::document_text(json) : to_text(summary));
  if (lost_lines_) throw Error(*lost_lines_);
}

}  // namespace trireme::train
