#include "train/output/reporter.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "base/system/output.h"
#include "base/text.h"
#include "schedule/schedule.h"
#include "train/start.h"

namespace trireme::train {
namespace {

std::string first_line_of_schedule(const TrainConfig& config) {
  schedule::Schedule first;
  first.mode = to_string(config.exchange.mode);
  first.workers = config.exchange.workers;
  first.servers = config.exchange.servers;
  first.staleness_rate = config.exchange.staleness_rate;
  return schedule::first_line(first);
}

}  // namespace

Reporter::Reporter(const TrainJob& job) : json_(job.json) {
  if (!job.config.run.out.empty())
    folder_.emplace(job.config.run.out, job.config_text, step_to_go_on_from(job));
  if (job.terminal) {
    // A node runs in the background of the launcher's terminal, which may stop whoever writes from there.
    std::signal(SIGTTOU, SIG_IGN);
    status_ = StatusLine::on_terminal(*job.terminal);
  }
  if (!folder_ || job.config.exchange.mode == plan::Mode{} || !job.config.run.replay.empty()) return;
  const bool has_no_beginning = job.from && job.from->step() > 0 && !step_to_go_on_from(job);
  has_schedule_ = !has_no_beginning &&
                  folder_->begin_schedule(first_line_of_schedule(job.config), job.config.exchange.workers);
  if (!has_schedule_)
    tell("there will be no schedule.jsonl: the steps before have none that goes with these");
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
void Reporter::add_metrics(const report::Json& line) {
  if (!folder_) return;
  try {
    folder_->add_metrics(line);
  } catch (const Error& error) {
    if (std::exchange(lost_metrics_, true)) return;
    if (!lost_lines_) lost_lines_ = error;
    tell(error.failure().what + "; the run goes on without these lines");
  }
}

// What follows lost lines is of no use without them.
void Reporter::add_schedule(const std::string& writes) {
  if (!has_schedule_) return;
  try {
    folder_->add_schedule(writes);
  } catch (const Error& error) {
    has_schedule_ = false;
    if (!lost_lines_) lost_lines_ = error;
    tell(error.failure().what + "; the run goes on, and has no whole schedule");
  }
}

void Reporter::finish(const TrainSummary& summary) {
  if (status_) status_->clear();
  const report::Json json = to_json(summary);
  if (folder_) folder_->finish(json);
  write_output(json_ ? report::document_text(json) : to_text(summary));
  if (lost_lines_) throw Error(*lost_lines_);
}

}  // namespace trireme::train
