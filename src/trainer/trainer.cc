#include "trainer/trainer.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "libtorch/exchange_access.h"
#include "optim/schedule.h"
#include "trainer/loss.h"

namespace trireme::trainer {
namespace {

double slowness_of(const train::TrainConfig& config, Rank rank) {
  double factor = 1;
  for (const train::TrainConfig::Train::Slow& slow : config.train.slow) {
    if (slow.worker == rank) factor = slow.factor;
  }
  return factor;
}

}  // namespace

void require_number(double loss, std::int64_t step, std::string_view what) {
  if (std::isfinite(loss)) return;
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.op = fmt::format("step {} of training", step);
  failure.what = fmt::format("{} is {}", what, std::isnan(loss) ? "not a number" : "infinite");
  failure.hint = "try a lower optimizer.rate, or set optimizer.clip_norm";
  throw Error(failure);
}

Trainer::Trainer(const train::TrainConfig& config, const data::Dataset& train,
                 const data::ShardedOrder& order, torch::nn::Sequential& net, Exchange& exchange, Rank rank,
                 std::int64_t ahead)
    : config_(config),
      net_(net),
      exchange_(exchange),
      batches_(train, order, ahead),
      slowness_(slowness_of(config, rank)) {
  if (config.exchange.mode != plan::Mode{}) numbered_.emplace(config, train, ahead);
}

std::optional<double> Trainer::step(std::int64_t number, bool wants_loss) {
  train::LapClock whole;
  train::LapClock part;
  const SampleBatch batch = batches_.of_step(number);
  time_.data += part.lap();
  const std::int64_t samples = batches_.global_size(number);
  // If workers have unequally many, the mean over workers is not the one over samples.
  if (samples % config_.exchange.workers != 0) exchange_.samples(batch.size());
  const double own_loss = batch.size() > 0 ? learn(batch, number) : 0;
  time_.compute += part.lap();
  RuleSpec rule = config_.optimizer;
  rule.rate = rate_of(number);
  exchange_.step(rule);
  std::optional<double> loss;
  if (wants_loss) loss = mean_over_workers(own_loss, batch.size());
  time_.exchange_exposed += part.lap();
  throughput_.add_step(samples, whole.lap());
  return loss;
}

void Trainer::take_gradient(std::int64_t gradient) {
  train::LapClock whole;
  train::LapClock part;
  const SampleBatch batch = numbered_->of(gradient);
  time_.data += part.lap();
  const double loss = batch.size() > 0 ? learn(batch, step_of(gradient)) : 0;
  time_.compute += part.lap();
  RuleSpec rule = config_.optimizer;
  rule.rate = rate_of(step_of(gradient));
  ExchangeAccess::rounds(exchange_).tell_loss(loss);
  exchange_.step(rule);
  time_.exchange_exposed += part.lap();
  // As if all workers were as fast as this one: the mean over them is the throughput of the job.
  throughput_.add_step(batch.size() * config_.exchange.workers, whole.lap());
}

double Trainer::rate_of(std::int64_t number) const {
  return optim::rate_of_step(config_.schedule, config_.optimizer.rate, number);
}

// Updates happen within the step of an exchange.
train::TimeSplit Trainer::time() const {
  train::TimeSplit split = time_;
  split.update = exchange_.traffic().update_s;
  split.exchange_exposed -= split.update;
  return split;
}

double Trainer::learn(const SampleBatch& batch, std::int64_t number) {
  train::LapClock clock;
  const torch::Tensor loss = loss_of(net_->forward(batch.samples), batch.labels, Over::kMean);
  const auto value = loss.item<double>();
  require_number(value, number, "the loss");
  loss.backward();
  if (slowness_ > 1) {
    std::this_thread::sleep_for(std::chrono::duration<double>((slowness_ - 1) * clock.lap()));
  }
  return value;
}

double Trainer::mean_over_workers(double loss, std::int64_t samples) {
  std::array<double, 2> sums = {loss * static_cast<double>(samples), static_cast<double>(samples)};
  exchange_.sum(sums);
  return sums[0] / sums[1];
}

}  // namespace trireme::trainer
