#include "trainer/training_saver.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "rounds/parameter_groups.h"
#include "rounds/round_note.h"
#include "train/stop_request.h"

namespace trireme::trainer {

TrainingSaver::TrainingSaver(const train::TrainJob& job, Rank rank, libtorch::Rounds& rounds,
                             const TrainBatches& batches, Listener listener)
    : job_(job), rank_(rank), rounds_(rounds), batches_(batches), listener_(std::move(listener)) {
  if (train::step_to_go_on_from(job)) newest_ = job.from->folder().string();
}

// Workers that exchange nothing have no weights in common.
bool TrainingSaver::keeps() const {
  return !job_.config.run.out.empty() && job_.config.exchange.strategy != "none";
}

void TrainingSaver::begin_step() {
  if (train::stop_requested()) rounds_.wish(rounds::kWishStop);
  const std::chrono::nanoseconds every = job_.config.run.checkpoint_every.time;
  if (rank_ == 0 && every.count() > 0 && Clock::now() - last_ >= every) rounds_.wish(rounds::kWishSave);
}

bool TrainingSaver::is_to_stop() {
  wishes_ = rounds_.take_wishes();
  return (wishes_ & rounds::kWishStop) != 0;
}

void TrainingSaver::save_if_due(std::int64_t step, double loss) {
  look_at_last();
  const std::int64_t every = job_.config.run.checkpoint_every.steps;
  const bool is_due = (every > 0 && step % every == 0) || (wishes_ & rounds::kWishSave) != 0;
  if (is_due && keeps()) save(step, loss, /*in_background=*/true);
}

void TrainingSaver::settle() {
  if (!keeps()) return;
  train::LapClock clock;
  rounds_.settle();
  seconds_ += clock.lap();
  look_at_last();
}

void TrainingSaver::save_at_end(std::int64_t step, double loss) {
  if (!keeps()) return;
  save(step, loss, /*in_background=*/false);
  train::LapClock clock;
  rounds_.settle();
  seconds_ += clock.lap();
  const std::optional<libtorch::SaveResult> result = rounds_.take_saved();
  if (!result) return;
  if (result->failure) throw Error(*result->failure);
  take(*result);
}

void TrainingSaver::take(const libtorch::SaveResult& result) {
  newest_ = result.folder.string();
  listener_.saved(result, waited_);
}

void TrainingSaver::save(std::int64_t step, double loss, bool in_background) {
  train::LapClock clock;
  last_ = Clock::now();
  const train::TrainConfig& config = job_.config;
  libtorch::SaveRequest request;
  request.run = config.run.out;
  request.config = job_.config_text;
  request.keep = config.run.keep;
  request.in_background = in_background;
  request.state.step = step;
  request.state.epoch = batches_.epoch_of(step + 1);
  request.state.position = batches_.position_after(step);
  request.state.seed = config.train.seed;
  request.state.rule = rounds::rule_in_words(config.optimizer);
  request.state.numbers = {{"loss", loss}, {"batch", static_cast<double>(config.data.batch)}};
  for (const auto& [name, values] : data::named_numbers(job_.data.train.normalization)) {
    request.own.push_back({train::kNormalization + name, torch::tensor(values, torch::kFloat64)});
  }
  rounds_.settle();  // so that what has become of the one before is told
  look_at_last();
  rounds_.save(std::move(request));
  waited_ = clock.lap();
  seconds_ += waited_;
}

// The run goes on where a checkpoint cannot be written; that is said once.
void TrainingSaver::look_at_last() {
  const std::optional<libtorch::SaveResult> result = rounds_.take_saved();
  if (!result) return;
  if (!result->failure) {
    take(*result);
  } else if (!std::exchange(warned_, true)) {
    listener_.tell(
        fmt::format("no checkpoint of step {}: {}; the run goes on, and {}", with_commas(result->step),
                    result->failure->what,
                    newest_.empty() ? "there is no other" : printable(newest_) + " stays the newest"));
  }
}

}  // namespace trireme::trainer
