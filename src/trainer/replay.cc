#include "trainer/replay.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "libtorch/stored_tensors.h"
#include "optim/schedule.h"
#include "plan/mode.h"
#include "sim/events/free_run.h"
#include "train/model_rules.h"
#include "train/output/reporter.h"
#include "train/replayed_schedule.h"
#include "trainer/evaluation.h"
#include "trainer/job_model.h"
#include "trainer/loss.h"
#include "trainer/models.h"
#include "trainer/numbered_batches.h"
#include "trainer/schedule_replay.h"
#include "trainer/trainer.h"

namespace trireme::trainer {
namespace {

using Clock = std::chrono::steady_clock;

// A model this small is trained once more, one update after the other, to see how far asynchrony leads away.
constexpr std::int64_t kMostToCompare = 100'000'000;  // weights times updates

class Replay {
 public:
  explicit Replay(const train::TrainJob& job)
      : job_(job),
        config_(job.config),
        schedule_(train::read_schedule_file(config_.run.replay)),
        batches_(config_, job.data.train),
        reporter_(job) {
    for (Rank worker = 0; worker < schedule_.workers; ++worker) modules_.push_back(model_of(job_));
  }

  void run() {
    ScheduleReplay replay(schedule_, modules_, spec(), [this](Rank worker, std::int64_t gradient) {
      return compute(modules_[static_cast<std::size_t>(worker)], gradient);
    });
    const std::int64_t all = std::ranges::count_if(schedule_.writes, [&](const schedule::Write& write) {
      return write.server == replay.placement().dispenser && !write.dropped;
    });
    reporter_.tell(fmt::format("replaying {} of {} from {}, mode {}, in one process",
                               counted(all, "gradient"), counted(schedule_.workers, "worker"),
                               printable(config_.run.replay), schedule_.mode));
    while (replay.step()) tell_progress(replay, all);
    replay.give_weights();
    compare_with_sequential(replay, all);
    conclude(replay, all);
  }

 private:
  [[nodiscard]] double rate_of(std::int64_t gradient) const {
    return optim::rate_of_step(config_.schedule, config_.optimizer.rate, gradient / schedule_.workers + 1);
  }

  [[nodiscard]] ScheduleReplay::Spec spec() const {
    return {.staleness_rate = server::parse_staleness_rate(config_.exchange.staleness_rate),
            .clip_norm = config_.clip_norm,
            .whole_tensors = train::needs_whole_tensors(config_),
            .rule = config_.optimizer,
            .groups = train::groups_of(config_),
            .rate_of = [this](std::int64_t gradient) { return rate_of(gradient); }};
  }

  // Of the run, dropped gradients included.
  [[nodiscard]] std::int64_t steps() const {
    const auto last = std::ranges::max_element(schedule_.writes, {}, &schedule::Write::gradient);
    return last == schedule_.writes.end() ? 0 : last->gradient / schedule_.workers + 1;
  }

  double compute(torch::nn::Sequential& module, std::int64_t gradient) {
    const SampleBatch batch = batches_.of(gradient);
    if (batch.size() == 0) return 0;
    const torch::Tensor loss = loss_of(module->forward(batch.samples), batch.labels, Over::kMean);
    const auto value = loss.item<double>();
    require_number(value, gradient / schedule_.workers + 1, "the loss");
    loss.backward();
    return value;
  }

  void tell_progress(const ScheduleReplay& replay, std::int64_t all) {
    const std::int64_t every = config_.train.log_every * schedule_.workers;
    const bool logged = replay.applied() / every != told_ / every;
    told_ = replay.applied();
    train::Progress progress;
    progress.steps = steps();
    progress.step = (replay.applied() * progress.steps + all - 1) / std::max<std::int64_t>(all, 1);
    progress.loss = replay.loss();
    progress.seconds = seconds();
    progress.samples_per_s = progress.mean_samples_per_s =
        static_cast<double>(replay.applied() * config_.data.batch) / progress.seconds;
    progress.seconds_left = progress.seconds * static_cast<double>(all - replay.applied()) /
                            static_cast<double>(std::max<std::int64_t>(replay.applied(), 1));
    progress.updates = replay.applied();
    reporter_.step(progress, logged, 0, config_.optimizer.rate);
  }

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  // The bound of facts on ‖x_async − x_seq‖ is for plain sgd at one rate.
  void compare_with_sequential(const ScheduleReplay& replay, std::int64_t all) {
    const bool is_plain = config_.optimizer.kind == RuleKind::kSgd && config_.optimizer.weight_decay == 0 &&
                          config_.groups.empty() && config_.clip_norm == 0 &&
                          config_.schedule == optim::ScheduleSpec() && schedule_.servers == 1 &&
                          config_.exchange.staleness_rate != "staleness" && replay.dropped() == 0;
    if (!is_plain || replay.placement().update.parameters * all > kMostToCompare) return;
    torch::nn::Sequential module = model_of(job_);
    const double divisor = config_.exchange.staleness_rate == "workers" ? schedule_.workers : 1;
    const double rate = config_.optimizer.rate / divisor;
    double most = replay.largest_norm();
    for (std::int64_t update = 0; update < all; ++update) {
      module->zero_grad();
      compute(module, update);
      const torch::NoGradGuard no_grad;
      double squares = 0;
      for (torch::Tensor& weights : module->parameters()) {
        if (!weights.grad().defined()) continue;
        squares += weights.grad().square().sum(torch::kFloat64).item<double>();
        weights.sub_(weights.grad(), rate);
      }
      most = std::max(most, std::sqrt(squares));
    }
    double squares = 0;
    const std::vector<torch::Tensor> sequential = module->parameters();
    const std::vector<torch::Tensor> asynchronous = modules_[0]->parameters();
    for (std::size_t i = 0; i < sequential.size(); ++i) {
      squares += (sequential[i] - asynchronous[i]).square().sum(torch::kFloat64).item<double>();
    }
    std::vector<sim::SimUpdate> updates;
    for (const schedule::Write& write : schedule_.writes) {
      updates.push_back(
          {.worker = write.worker, .read_version = write.read, .staleness = write.version - 1 - write.read});
    }
    const std::int64_t bound = sim::bound_eta_delta(updates, all);
    reporter_.tell(fmt::format(
        "after as many updates one after the other, weights differ by {:.4g} (norm); the bound is {}ηΔ = "
        "{:.4g}, "
        "with the rate η = {:.4g} and gradients of norm Δ = {:.4g} at most",
        std::sqrt(squares), with_commas(bound), static_cast<double>(bound) * rate * most, rate, most));
  }

  void conclude(const ScheduleReplay& replay, std::int64_t all) {
    Evaluator evaluator(job_.data.test, 1, 0);
    const EvaluationSums sums = evaluator.evaluate(modules_[0]);
    train::TrainSummary summary;
    summary.workers = schedule_.workers;
    summary.servers = schedule_.servers;
    summary.strategy = "replay";
    summary.wire = "none";
    summary.steps = steps();
    summary.seconds = seconds();
    summary.samples_per_s = static_cast<double>(all * config_.data.batch) / summary.seconds;
    summary.loss = replay.loss();
    summary.test_loss = sums.loss / sums.samples;
    if (job_.data.test.classes > 0) summary.test_accuracy = sums.correct / sums.samples;
    summary.free = train::FreeSummary{.mode = schedule_.mode,
                                      .staleness = replay.staleness().histogram,
                                      .updates = replay.applied(),
                                      .dropped = replay.dropped()};
    if (!config_.run.save.empty()) libtorch::write_weights(config_.run.save, *modules_[0]);
    summary.weights = config_.run.save;
    summary.weights_sha256 = digest_of_weights(*modules_[0]);
    reporter_.finish(summary);
  }

  const train::TrainJob& job_;
  const train::TrainConfig& config_;
  const schedule::Schedule schedule_;
  NumberedBatches batches_;
  train::Reporter reporter_;
  std::vector<torch::nn::Sequential> modules_;  // by worker
  const Clock::time_point start_ = Clock::now();
  std::int64_t told_ = 0;
};

}  // namespace

void replay(World& world, const train::TrainJob& job) {
  if (world.size() > 1) {
    throw bad_input(fmt::format("a schedule is replayed in one process, and there are {}", world.size()),
                    "start trireme train --replay without a launcher");
  }
  try {
    Replay(job).run();
  } catch (const c10::Error& error) {
    throw in_plain_words(error, job);
  }
}

}  // namespace trireme::trainer
